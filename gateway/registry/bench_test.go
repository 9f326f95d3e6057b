package registry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage/identifier"
)

// alwaysFree is a filter that vouches for all names.
type alwaysFree struct{ registry.NoFilter }

func (alwaysFree) Free(identifier.Identifier) (time.Time, bool) { return filterTime, true }

// inMemory is a registry that answers from its filter, with the parser of production.
func inMemory(tb testing.TB) *registry.Registry {
	tb.Helper()
	parser, err := identifier.NewParser(oldSecret)
	require.NoError(tb, err)
	keys, err := registry.NewKeyring(oldSecret)
	require.NoError(tb, err)
	layers := registry.Bare(newFakeStore(databaseTime))
	layers.Filter = alwaysFree{}
	return registry.New(newFakeStore(databaseTime), parser, stubPolicy{}, layers, keys, registry.Options{Clock: time.Now})
}

// A free name costs no memory but for a form that differs from what was typed.
func TestACheckOfAFreeNameAllocatesNothing(t *testing.T) {
	r := inMemory(t)
	for name, allocations := range map[string]float64{"ada.lovelace": 0, "Ada_99": 1} {
		require.InDelta(t, allocations, testing.AllocsPerRun(100, func() {
			if got, err := r.Check(t.Context(), name); err != nil || !got.Available {
				t.Fail()
			}
		}), 0, name)
	}
}

func BenchmarkCheckOfAFreeName(b *testing.B) {
	r := inMemory(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Check(b.Context(), "ada.lovelace"); err != nil {
			b.Fatal(err)
		}
	}
}
