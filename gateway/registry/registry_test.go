package registry_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

// Times of the two clocks; they differ so that tests can tell who dated an answer.
var (
	databaseTime = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	gatewayTime  = databaseTime.Add(-7 * time.Hour)
)

const (
	ttl       = 15 * time.Minute
	requestID = "4f0c2d6e-6a0f-4b58-9d0e-2f6f6f0f6a11"
)

// stubParser folds to lower case. A value with a space breaks a rule; the key
// leaves dots out, so that "a.b" and "ab" are look-alikes. Of a private value
// nothing but the key is left.
type stubParser struct{}

func (stubParser) Parse(kind identifier.Kind, raw string) (identifier.Identifier, error) {
	if at := strings.Index(raw, " "); at >= 0 {
		return identifier.Identifier{}, &identifier.FormError{Violations: []identifier.Violation{
			{Rule: identifier.InvalidCharacter, Message: "no spaces", Position: at},
		}}
	}
	canonical := strings.ToLower(raw)
	if kind.Private() {
		return identifier.Stored(kind, "hash of "+canonical, "", ""), nil
	}
	return identifier.Stored(kind, strings.ReplaceAll(canonical, ".", ""), canonical, raw), nil
}

// stubPolicy bars the canonical forms that are its keys.
type stubPolicy map[string]bool

func (p stubPolicy) Refuses(id identifier.Identifier) bool { return p[id.Canonical()] }

type bundle struct {
	*registry.Registry
	store   *fakeStore
	policy  stubPolicy
	sleeper *sleeper
	denied  *fakeDenied
	cache   *fakeCache
	filter  *fakeFilter
}

func setup(t *testing.T) bundle {
	t.Helper()
	b := bundle{
		store:   newFakeStore(databaseTime),
		policy:  stubPolicy{"root": true, "admin": true},
		denied:  &fakeDenied{list: map[string]storage.Standing{}},
		filter:  &fakeFilter{free: map[string]bool{}},
		sleeper: &sleeper{random: 0.5},
	}
	b.cache = &fakeCache{NoCache: registry.NoCache{Store: b.store}, known: map[string]storage.Standing{}}
	b.Registry = b.withKeys(t, oldSecret)
	return b
}

// withKeys is another replica on the same store.
func (b bundle) withKeys(t *testing.T, secrets ...[]byte) *registry.Registry {
	t.Helper()
	return b.with(t, b.store, secrets...)
}

// on is another replica, on a store of its own.
func (b bundle) on(t *testing.T, store registry.Store) *registry.Registry {
	t.Helper()
	return b.with(t, store, oldSecret)
}

func (b bundle) with(t *testing.T, store registry.Store, secrets ...[]byte) *registry.Registry {
	t.Helper()
	keys, err := registry.NewKeyring(secrets...)
	require.NoError(t, err)
	return registry.New(store, stubParser{}, b.policy, registry.Layers{Denied: b.denied, Cache: b.cache, Filter: b.filter}, keys, registry.Options{
		TTL:    ttl,
		Clock:  func() time.Time { return gatewayTime },
		Sleep:  b.sleeper.sleep,
		Random: func() float64 { return b.sleeper.random },
	})
}

var (
	oldSecret = bytes.Repeat([]byte{1}, registry.MinKey)
	newSecret = bytes.Repeat([]byte{2}, registry.MinKey)
)

// username is what the parser of these tests makes of a name.
func username(t *testing.T, name string) identifier.Identifier {
	t.Helper()
	return parsed(t, identifier.Username, name)
}

// parsed is what the parser of these tests makes of a value.
func parsed(t *testing.T, kind identifier.Kind, value string) identifier.Identifier {
	t.Helper()
	id, err := stubParser{}.Parse(kind, value)
	require.NoError(t, err)
	return id
}

// sleeper stands for the clock between two attempts.
type sleeper struct {
	random  float64
	pauses  []time.Duration
	failure error
	during  func(n int) // called in the pause number n, from 1
}

func (s *sleeper) sleep(_ context.Context, d time.Duration) error {
	s.pauses = append(s.pauses, d)
	if s.during != nil {
		s.during(len(s.pauses))
	}
	return s.failure
}
