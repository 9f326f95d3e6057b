package registry_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

func ask(name string, alternatives ...string) registry.ReserveInput {
	return registry.ReserveInput{Name: name, Alternatives: alternatives, RequestID: requestID}
}

func TestReserveAFreeName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.Reserve(t.Context(), ask("Ada", "ada.l"))
	require.NoError(t, err)
	require.Equal(t, username(t, "Ada"), got.Holding.Identifier)
	require.Equal(t, databaseTime.Add(ttl), got.Holding.ExpireAt)
	require.NotEmpty(t, got.Token)
	require.Equal(t, storage.NewRequestKey(storage.Anonymous, requestID), b.store.requests[0].Request)
	require.Equal(t, storage.HashArguments("reserveUsername", "Ada", "ada.l"), b.store.requests[0].Arguments)
}

func TestReserveTakesTheFirstThatCanBeHad(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.hold(username(t, "ada"), storage.Active)
	got, err := b.Reserve(t.Context(), ask("ada", "root", "ADA", "lace", "lace"))
	require.NoError(t, err)
	require.Equal(t, "lace", got.Holding.Identifier.Canonical())
	require.Len(t, b.store.requests[0].Candidates, 2, "without duplicates and barred words")
}

func TestTheReasonIsThatOfTheFirstName(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in     registry.ReserveInput
		reason registry.Reason
	}{
		"held":                          {ask("ada"), registry.Taken},
		"all held":                      {ask("bob", "ada"), registry.Reserved},
		"a look-alike is held":          {ask("a.da", "bob"), registry.Confusable},
		"barred":                        {ask("root"), registry.NotAllowed},
		"barred, and so alternatives":   {ask("root", "admin"), registry.NotAllowed},
		"barred, and alternatives held": {ask("root", "ada"), registry.NotAllowed},
		"held, and alternatives barred": {ask("ada", "root"), registry.Taken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.store.hold(username(t, "ada"), storage.Active)
			b.store.hold(username(t, "bob"), storage.Reserved)
			_, err := b.Reserve(t.Context(), tc.in)
			require.Equal(t, &registry.UnavailableError{Kind: identifier.Username, Value: tc.in.Name, Reason: tc.reason}, err)
			require.Zero(t, b.store.lookups, "no second read")
		})
	}
}

func TestOneMalformedValueRefusesAll(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Reserve(t.Context(), ask("ada", "x y", "another one"))
	var invalid *registry.InvalidValueError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "x y", invalid.Value)
	require.Equal(t, 1, invalid.Violations[0].Position)
	require.Empty(t, b.store.requests)
}

func TestReserveRefusesBadArguments(t *testing.T) {
	t.Parallel()
	withID := func(id string) registry.ReserveInput { return registry.ReserveInput{Name: "ada", RequestID: id} }
	for name, in := range map[string]registry.ReserveInput{
		"too many alternatives":      ask("ada", make([]string, registry.MaxAlternatives+1)...),
		"short request id":           withID(strings.Repeat("a", 21)),
		"long request id":            withID(strings.Repeat("a", 65)),
		"request id beyond ASCII":    withID(strings.Repeat("é", 12)),
		"request id with a control":  withID(strings.Repeat("a", 22) + "\x00"),
		"request id with a line end": withID(strings.Repeat("a", 22) + "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			_, err := b.Reserve(t.Context(), in)
			var input *registry.InputError
			require.ErrorAs(t, err, &input)
			require.Empty(t, b.store.requests)
		})
	}
}

func TestTheLimitsThemselvesPass(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, length := range []int{22, 64} {
		in := registry.ReserveInput{Name: "ada" + strings.Repeat("x", length), RequestID: strings.Repeat("~", length)}
		for range registry.MaxAlternatives {
			in.Alternatives = append(in.Alternatives, "other")
		}
		_, err := b.Reserve(t.Context(), in)
		require.NoError(t, err)
	}
}

func TestAResendGetsTheSameReservation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, err := b.Reserve(t.Context(), ask("ada", "lace"))
	require.NoError(t, err)

	again, err := b.withKeys(t, newSecret, oldSecret).Reserve(t.Context(), ask("ada", "lace"))
	require.NoError(t, err)
	require.Equal(t, first, again, "also after a newer key came")

	b.policy["ada"], b.policy["lace"] = true, true
	again, err = b.Reserve(t.Context(), ask("ada", "lace"))
	require.NoError(t, err)
	require.Equal(t, first, again, "also when policy bars every name meanwhile")
	require.Len(t, b.store.held, 1)
}

func TestAResendWhoseKeyIsGoneIsNoNewToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Reserve(t.Context(), ask("ada"))
	require.NoError(t, err)
	got, err := b.withKeys(t, newSecret).Reserve(t.Context(), ask("ada"))
	require.ErrorContains(t, err, "not among the token keys")
	require.Zero(t, got)
}

func TestARequestIDIsForOneThing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Reserve(t.Context(), ask("ada"))
	require.NoError(t, err)
	_, err = b.Reserve(t.Context(), ask("Ada"))
	require.ErrorIs(t, err, storage.ErrRequestConflict)
	_, err = b.Reserve(t.Context(), ask("root"))
	require.ErrorIs(t, err, storage.ErrRequestConflict, "also when policy bars what is asked for now")
}

func TestEachCallerHasRequestIDsOfItsOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i, caller := range []registry.Caller{{}, ann, bob, backEnd, {Role: registry.Service, Subject: "ann"}} {
		in := ask(string(rune('a' + i)))
		in.Caller = caller
		_, err := b.Reserve(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, caller.Subject, b.store.requests[i].Actor)
	}
	require.Equal(t, storage.NewUserRequestKey("ann", requestID), b.store.requests[1].Request)
	require.Equal(t, storage.NewServiceRequestKey("shop", requestID), b.store.requests[3].Request)
}

func TestReserveWithoutADatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.failure = &storage.UnavailableError{}
	_, err := b.Reserve(t.Context(), ask("ada"))
	require.ErrorIs(t, err, b.store.failure)
}
