package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

func TestReleaseOfAUsername(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.give("ann", username(t, "Ada"), storage.Active)
	in := registry.ReleaseInput{Request: by(ann, "1"), Kind: identifier.Username, Value: "ada"}
	got, err := b.Release(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, storage.Holding{
		Identifier: username(t, "Ada"), State: storage.Protected, Owner: "ann",
		Since: databaseTime, ExpireAt: databaseTime.Add(protection),
	}, got)
	require.Equal(t, storage.HashArguments("releaseIdentifier", "ann", "USERNAME", "ada"), b.store.changes[0].Arguments)

	again, err := b.Release(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, got, again)
}

func TestReleaseOfWhatOneDoesNotHave(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.give("bob", username(t, "bob"), storage.Active)
	for _, value := range []string{"bob", "nobody", "a b"} {
		_, err := b.Release(t.Context(), registry.ReleaseInput{Request: by(ann, value), Kind: identifier.Username, Value: value})
		require.Equal(t, storage.ErrNotOwner, err, value)
	}
}

// The record of a request keeps the hash of its arguments.
func TestAPrivateValueIsHashedByItsKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ada := parsed(t, identifier.Email, "ada@example.org")
	b.store.give("ann", ada, storage.Active)
	got, err := b.Release(t.Context(), registry.ReleaseInput{
		Request: forOwner("ann", "1"), Kind: identifier.Email, Value: "Ada@example.org",
	})
	require.NoError(t, err)
	require.Equal(t, storage.Released, got.State)
	require.Equal(t, storage.HashArguments("releaseIdentifier", "ann", "EMAIL", ada.Key()), b.store.changes[0].Arguments)
}

func TestPrivateKindsAreForBackEnds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for caller, want := range map[registry.Caller]error{ann: registry.ErrForbidden, {}: registry.ErrUnauthenticated} {
		for _, kind := range []identifier.Kind{identifier.Email, identifier.Phone, identifier.License} {
			_, err := b.Release(t.Context(), registry.ReleaseInput{Request: by(caller, "1"), Kind: kind, Value: "ada@example.org"})
			require.ErrorIs(t, err, want)
			in := askAll("1", registry.Wanted{Kind: kind, Value: "ada@example.org"})
			in.Caller = caller
			_, err = b.ReserveAll(t.Context(), in)
			require.ErrorIs(t, err, want)
		}
	}
	require.Empty(t, b.store.changes)
	require.Empty(t, b.store.requests)
}

// Whoever times answers must not learn who else has a value.
func TestAPrivateValueTakesOnePath(t *testing.T) {
	t.Parallel()
	for name, taken := range map[string]bool{"another's": true, "nobody's": false} {
		b := setup(t)
		if taken {
			b.store.give("bob", parsed(t, identifier.Email, "ada@example.org"), storage.Active)
		}
		_, err := b.Release(t.Context(), registry.ReleaseInput{
			Request: forOwner("ann", "1"), Kind: identifier.Email, Value: "ada@example.org",
		})
		require.Equal(t, storage.ErrNotOwner, err, name)
		require.Len(t, b.store.changes, 1, name)
		require.Zero(t, b.store.lookups, name)
		require.Empty(t, b.sleeper.pauses, name)
	}
}

func TestReleaseAll(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.give("ann", username(t, "ada"), storage.Active)
	b.store.give("ann", parsed(t, identifier.Email, "ada@example.org"), storage.Active)
	b.store.give("bob", username(t, "bob"), storage.Active)
	got, err := b.ReleaseAll(t.Context(), forOwner("ann", "1"))
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, storage.Protected, got[0].State)
	require.Equal(t, storage.Released, got[1].State)

	again, err := b.ReleaseAll(t.Context(), forOwner("ann", "1"))
	require.NoError(t, err)
	require.Equal(t, got, again)
	got, err = b.ReleaseAll(t.Context(), forOwner("ann", "2"))
	require.NoError(t, err)
	require.Empty(t, got, "nothing is left")
}
