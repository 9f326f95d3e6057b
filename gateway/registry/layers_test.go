package registry_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

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

// Each layer answers when all before it know nothing, and nobody after it is asked.
func TestTheOrderOfLayers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	read := func(state storage.State, asOf time.Time) storage.Standing {
		return storage.Standing{Held: &storage.Holding{Identifier: username(t, "ada"), State: state}, AsOf: asOf}
	}
	b.denied.list["ada"], b.cache.known["ada"] = read(storage.Active, filterTime), read(storage.Protected, gatewayTime)
	b.filter.free["ada"] = true
	b.store.hold(username(t, "ada"), storage.Reserved)
	check := func(layer registry.Layer, reason registry.Reason, asOf time.Time) {
		got, err := b.Check(t.Context(), "ada")
		require.NoError(t, err)
		require.Equal(t, registry.Availability{
			Requested: "ada", Canonical: "ada", Available: reason == "", Reason: reason, DecidedBy: layer, AsOf: asOf,
		}, got)
	}
	check(registry.LayerDenyList, registry.Taken, filterTime)
	delete(b.denied.list, "ada")
	check(registry.LayerLocalCache, registry.Protected, gatewayTime)
	delete(b.cache.known, "ada")
	check(registry.LayerFilter, "", filterTime)
	require.Zero(t, b.store.lookups)
	delete(b.filter.free, "ada")
	check(registry.LayerDatabase, registry.Reserved, databaseTime)
	require.Equal(t, []string{"ada", "ada", "ada"}, b.denied.seen, "what people were told that it is held")
}

// Without any layer the databases answer.
func TestBareLayers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.hold(username(t, "ada"), storage.Active)
	keys, err := registry.NewKeyring(oldSecret)
	require.NoError(t, err)
	r := registry.New(b.store, stubParser{}, b.policy, registry.Bare(b.store), keys, registry.Options{Clock: time.Now})
	for range 2 {
		got, err := r.Check(t.Context(), "ada")
		require.NoError(t, err)
		require.Equal(t, registry.Taken, got.Reason)
		require.Equal(t, registry.LayerDatabase, got.DecidedBy)
	}
	require.Equal(t, 2, b.store.lookups)
}

// A name that an operator has blocked is refused without a database; others on the list
// may be free by now, and only a database says.
func TestOnlyBlockedNamesOnTheDenyListRefuseAReserve(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held := storage.Holding{Identifier: username(t, "ada"), State: storage.Active}
	b.denied.list["ada"] = storage.Standing{Held: &held}
	_, err := b.Reserve(t.Context(), registry.ReserveInput{Name: "ada", RequestID: requestID})
	require.NoError(t, err)
	blocked := storage.Holding{Identifier: username(t, "bob"), Blocked: true}
	b.denied.list["bob"] = storage.Standing{Held: &blocked}
	_, err = b.Reserve(t.Context(), registry.ReserveInput{Name: "bob", RequestID: requestID + "2"})
	require.Equal(t, &registry.UnavailableError{Kind: identifier.Username, Value: "bob", Reason: registry.NotAllowed}, err)
	require.Empty(t, b.store.requests[1].Candidates)
}

// What a change has changed is not remembered as it was.
func TestTheCacheExpectsWhatHasChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	won, err := b.Reserve(t.Context(), registry.ReserveInput{Name: "ada", RequestID: requestID})
	require.NoError(t, err)
	require.Equal(t, []string{"ada", "ada"}, b.cache.expected, "before and after")
	_, err = b.Cancel(t.Context(), won.Token)
	require.NoError(t, err)
	require.Len(t, b.cache.expected, 3)
}
