package verify_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"namegate/gateway/registry"
	"namegate/gateway/verify"
	"namegate/storage"
	"namegate/storage/identifier"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func username(name string) identifier.Identifier {
	return identifier.Stored(identifier.Username, name, name, name)
}

// held is a standing of a name that is held, at a version of its row.
func held(name string, version int64) storage.Standing {
	return storage.Standing{
		Held:    &storage.Holding{Identifier: username(name), State: storage.Active},
		Version: storage.Version{Epoch: 1, ID: version},
	}
}

var free = storage.Standing{}

// table is all databases.
type table map[string]storage.Standing

var errAway = errors.New("it is away")

func (t table) Lookup(ctx context.Context, id identifier.Identifier) (storage.Standing, error) {
	s, ok := t[id.Key()]
	if !ok && id.Key() == "unreadable" {
		return storage.Standing{}, errAway
	}
	return s, ctx.Err()
}

// layer says what it has.
type layer struct {
	says   map[string]storage.Standing
	mends  bool
	mended []string
	err    error // of Each, at its end
	silent error // of Says
}

func (*layer) Name() registry.Layer { return registry.LayerLocalCache }

func (l *layer) Each(_ context.Context, in *verify.Sample, yield func(identifier.Identifier) error) error {
	for name := range l.says {
		if id := username(name); in.Has(id) {
			if err := yield(id); err != nil {
				return err
			}
		}
	}
	return l.err
}

func (l *layer) Says(_ context.Context, id identifier.Identifier) (storage.Standing, bool, error) {
	s, ok := l.says[id.Key()]
	return s, ok, l.silent
}

func (l *layer) Mend(_ context.Context, ids []identifier.Identifier) error {
	for _, id := range ids {
		l.mended = append(l.mended, id.Key())
		if l.mends {
			delete(l.says, id.Key())
		}
	}
	return nil
}

// settle is how long tests let a layer settle, by no clock.
const settle = time.Minute

// verifier compares a layer with a table. meanwhile runs whenever it waits.
func verifier(t *testing.T, l *layer, tables storage.Reader, meanwhile func()) *verify.Verifier {
	t.Helper()
	return verify.New(verify.Options{
		Layers: []verify.Layer{l}, Store: tables, Settle: settle, Random: rand.Float64,
		Sleep: func(ctx context.Context, d time.Duration) error {
			require.Equal(t, settle, d)
			meanwhile()
			return ctx.Err()
		},
	})
}

func ignore(verify.Findings) {}

var all = verify.Request{Share: 1}

// run gives what is found of one layer.
func run(t *testing.T, l *layer, tables table, r verify.Request, meanwhile func()) verify.Findings {
	t.Helper()
	report, err := verifier(t, l, tables, meanwhile).Run(t.Context(), r, ignore)
	require.NoError(t, err)
	require.Len(t, report.Layers, 1)
	return report.Layers[0]
}

// blocking is a layer that has its names until nobody wants them.
type blocking struct {
	*layer
	begun chan struct{}
}

func (b *blocking) Each(ctx context.Context, _ *verify.Sample, _ func(identifier.Identifier) error) error {
	close(b.begun)
	<-ctx.Done()
	return ctx.Err()
}

// halfAway is a registry of which one of two databases is away.
type halfAway struct{}

func (halfAway) Lookup(_ context.Context, id identifier.Identifier) (storage.Standing, error) {
	if storage.VshardOf(id)%2 == 0 {
		return storage.Standing{}, &storage.UnavailableError{Cause: errAway}
	}
	return storage.Standing{}, nil
}
