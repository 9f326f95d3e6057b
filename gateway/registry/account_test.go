package registry_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

func TestHoldings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.give("ann", username(t, "ada"), storage.Active)
	b.store.give("ann", parsed(t, identifier.Email, "ada@example.org"), storage.Active)
	b.store.give("bob", username(t, "bob"), storage.Active)
	owner, kind := "ann", identifier.Email
	for title, tc := range map[string]struct {
		caller registry.Caller
		owner  *string
		kind   *identifier.Kind
		want   int
	}{
		"one's own":               {ann, nil, nil, 2},
		"one's own, by name":      {ann, &owner, nil, 2},
		"of one kind":             {ann, nil, &kind, 1},
		"of a back end's account": {backEnd, &owner, nil, 2},
		"of a kind that is not":   {bob, nil, &kind, 0},
	} {
		got, err := b.Holdings(t.Context(), tc.caller, tc.owner, tc.kind)
		require.NoError(t, err, title)
		require.Len(t, got, tc.want, title)
	}
	_, err := b.Holdings(t.Context(), bob, &owner, nil)
	require.ErrorIs(t, err, registry.ErrForbidden)
	_, err = b.Holdings(t.Context(), registry.Caller{}, nil, nil)
	require.ErrorIs(t, err, registry.ErrUnauthenticated)
	_, err = b.Holdings(t.Context(), backEnd, nil, nil)
	var input *registry.InputError
	require.ErrorAs(t, err, &input)
}

// requireAnswers asks about each name, and wants what stands beside it.
func requireAnswers(t *testing.T, ask func(context.Context, string) (string, error), want map[string]string) {
	t.Helper()
	for name, answer := range want {
		got, err := ask(t.Context(), name)
		require.NoError(t, err, name)
		require.Equal(t, answer, got, name)
	}
}

func TestOwner(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.give("ann", username(t, "ada"), storage.Active)
	b.store.give("", username(t, "imported"), storage.Active)
	b.store.give("ann", username(t, "former"), storage.Protected)
	b.store.give("ann", username(t, "early"), storage.Reserved)
	requireAnswers(t, b.Owner, map[string]string{
		"ada": "ann", "ADA": "ann", "a.da": "", "imported": "", "former": "", "early": "", "free": "", "a b": "",
	})
	require.Equal(t, 7, b.store.lookups, "what is no name reaches no database")
}

func TestRedirect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.give("ann", username(t, "Ada"), storage.Active)
	b.store.give("ann", username(t, "former"), storage.Protected)
	b.store.give("bob", username(t, "gone"), storage.Protected)
	requireAnswers(t, b.Redirect, map[string]string{
		"Former": "Ada", "ada": "", "gone": "", "free": "", "a b": "",
	})
	require.Equal(t, 4, b.store.lookups, "what is no name reaches no database")
}

func TestAccountsWithoutADatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.failure = &storage.UnavailableError{}
	_, err := b.Owner(t.Context(), "ada")
	require.ErrorIs(t, err, b.store.failure)
	_, err = b.Redirect(t.Context(), "ada")
	require.ErrorIs(t, err, b.store.failure)
	_, err = b.Holdings(t.Context(), ann, nil, nil)
	require.ErrorIs(t, err, b.store.failure)
}
