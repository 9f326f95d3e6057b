package cache_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
)

func TestGetAllocatesNothing(t *testing.T) {
	b := setup(t)
	b.hold("a", storage.Active, 0, registry.LayerDatabase)
	b.ask(t, "a")
	for _, key := range []string{"a", "b"} {
		id := name(key)
		require.Zero(t, testing.AllocsPerRun(100, func() { b.Get(id) }), key)
	}
}

// BenchmarkGet asks a full cache, from all cores, for names that it has and others.
func BenchmarkGet(b *testing.B) {
	for title, prefix := range map[string]string{"hit": "name", "miss": "other"} {
		b.Run(title, func(b *testing.B) {
			c := setup(b)
			for i := range 500 {
				c.ask(b, "name"+strconv.Itoa(i))
			}
			ids := [8]string{}
			for i := range ids {
				ids[i] = prefix + strconv.Itoa(i)
			}
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for n := 0; pb.Next(); n++ {
					c.Get(name(ids[n%len(ids)]))
				}
			})
		})
	}
}
