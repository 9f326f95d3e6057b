package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

func TestReserveAll(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := askAll("1", name("Ada"), email("Ada@example.org"))
	got, err := b.ReserveAll(t.Context(), in)
	require.NoError(t, err)
	require.Len(t, got.Holdings, 2)
	require.Equal(t, username(t, "Ada"), got.Holdings[0].Identifier)
	require.Equal(t, databaseTime.Add(ttl), got.Holdings[1].ExpireAt)
	request := b.store.requests[0]
	require.Equal(t, storage.NewServiceRequestKey("shop", "request-1"), request.Request)
	require.Equal(t, storage.HashArguments("reserveIdentifiers",
		"USERNAME", "Ada", "EMAIL", parsed(t, identifier.Email, "ada@example.org").Key()), request.Arguments)
	require.Equal(t, "shop", request.Actor)

	held, err := b.Reservation(t.Context(), got.Token)
	require.NoError(t, err)
	require.Equal(t, got.Holdings, held, "one token for all")

	again, err := b.withKeys(t, newSecret, oldSecret).ReserveAll(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, got, again)

	owned, err := b.Confirm(t.Context(), registry.ConfirmInput{Request: forOwner("ann", "2"), Token: got.Token})
	require.NoError(t, err)
	require.Len(t, owned, 2)
}

func TestReserveAllHoldsAllOrNone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.hold(parsed(t, identifier.Email, "ada@example.org"), storage.Active)
	_, err := b.ReserveAll(t.Context(), askAll("1", name("ada"), email("Ada@example.org")))
	require.Equal(t, &registry.UnavailableError{Kind: identifier.Email, Value: "Ada@example.org", Reason: registry.Taken}, err)
	require.Len(t, b.store.held, 1)

	b.store.hold(username(t, "a.da"), storage.Active)
	_, err = b.ReserveAll(t.Context(), askAll("1", email("other@example.org"), name("ada")))
	require.Equal(t, &registry.UnavailableError{Kind: identifier.Username, Value: "ada", Reason: registry.Confusable}, err)
}

func TestReserveAllRefusesBadArguments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for title, in := range map[string]registry.ReserveAllInput{
		"nothing":       askAll("1"),
		"a kind twice":  askAll("1", name("ada"), email("a@example.org"), name("lace")),
		"no request id": {Caller: backEnd, Wanted: []registry.Wanted{name("ada")}},
	} {
		_, err := b.ReserveAll(t.Context(), in)
		var input *registry.InputError
		require.ErrorAs(t, err, &input, title)
	}
	_, err := b.ReserveAll(t.Context(), askAll("1", name("ada"), email("no address")))
	var invalid *registry.InvalidValueError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "no address", invalid.Value)
	require.Empty(t, b.store.requests)
}

func TestReserveAllAndPolicy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	barred := askAll("1", email("root@example.org"), name("Root"))
	_, err := b.ReserveAll(t.Context(), barred)
	require.Equal(t, &registry.UnavailableError{Kind: identifier.Username, Value: "Root", Reason: registry.NotAllowed}, err)
	require.Empty(t, b.store.held)

	in := askAll("2", email("ada@example.org"), name("ada"))
	first, err := b.ReserveAll(t.Context(), in)
	require.NoError(t, err)
	b.policy["ada"] = true
	again, err := b.ReserveAll(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, first, again, "whatever policy says meanwhile")
}

func TestReserveAllIsForOneThing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.ReserveAll(t.Context(), askAll("1", name("ada")))
	require.NoError(t, err)
	_, err = b.ReserveAll(t.Context(), askAll("1", name("lace")))
	require.ErrorIs(t, err, storage.ErrRequestConflict)
	one := ask("ada")
	one.Caller, one.RequestID = backEnd, "request-1"
	_, err = b.Reserve(t.Context(), one)
	require.ErrorIs(t, err, storage.ErrRequestConflict, "another operation")
}
