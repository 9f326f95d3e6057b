package registry_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

// fakeFilter vouches for some names, and remembers which are about to be held.
type fakeFilter struct {
	mu       sync.Mutex
	free     map[string]bool
	expected []string
}

var filterTime = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func (f *fakeFilter) Free(id identifier.Identifier) (time.Time, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return filterTime, f.free[id.Key()]
}

func (f *fakeFilter) Expect(id identifier.Identifier) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expected = append(f.expected, id.Key())
}

func TestTheFilterAnswersWithoutADatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.failure = errors.New("nobody may ask")
	b.filter.free["ada"] = true
	got, err := b.Check(t.Context(), "Ada")
	require.NoError(t, err)
	require.Equal(t, registry.Availability{
		Requested: "Ada", Canonical: "ada", Available: true, DecidedBy: registry.LayerFilter, AsOf: filterTime,
	}, got)
}

func TestPolicyComesBeforeTheFilter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.filter.free["root"] = true
	got, err := b.Check(t.Context(), "root")
	require.NoError(t, err)
	require.Equal(t, registry.NotAllowed, got.Reason)
}

// What is about to be held is noted before the databases are asked, so that this
// replica never calls it free from then on.
func TestTheFilterExpectsWhatIsAboutToBeHeld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.failure = errors.New("it did not get there")
	_, err := b.Reserve(t.Context(), registry.ReserveInput{Name: "ada", Alternatives: []string{"bob", "root"}, RequestID: requestID})
	require.Error(t, err)
	_, err = b.Rename(t.Context(), registry.RenameInput{Request: registry.Request{Caller: ann, RequestID: requestID}, To: "carol"})
	require.Error(t, err)
	_, err = b.ReserveAll(t.Context(), registry.ReserveAllInput{
		Caller: backEnd, Wanted: []registry.Wanted{{Kind: identifier.Username, Value: "dan"}, {Kind: identifier.Email, Value: "dan"}}, RequestID: requestID,
	})
	require.Error(t, err)
	require.Equal(t, []string{"ada", "bob", "carol", "dan"}, b.filter.expected, "neither what policy refuses nor what is private")
}

func TestWithoutAFilterTheDatabasesAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.hold(username(t, "ada"), storage.Active)
	keys, err := registry.NewKeyring(oldSecret)
	require.NoError(t, err)
	r := registry.New(b.store, stubParser{}, b.policy, registry.NoFilter{}, keys, registry.Options{Clock: time.Now})
	got, err := r.Check(t.Context(), "ada")
	require.NoError(t, err)
	require.Equal(t, registry.Taken, got.Reason)
	require.Equal(t, registry.LayerDatabase, got.DecidedBy)
}
