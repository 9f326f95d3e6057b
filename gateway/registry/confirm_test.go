package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
)

func TestConfirm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := reserved(t, b, "Ada")
	b.policy["ada"] = true // barred since the reservation
	in := registry.ConfirmInput{Request: by(ann, "1"), Token: token}
	got, err := b.Confirm(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, []storage.Holding{{
		Identifier: username(t, "Ada"), State: storage.Active, Owner: "ann", Since: databaseTime,
	}}, got)
	require.Equal(t, storage.HashArguments("confirmReservation", "ann", token), b.store.changes[0].Arguments)

	again, err := b.Confirm(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, got, again)
}

func TestConfirmOfWhatRanOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := reserved(t, b, "ada")
	b.store.free(username(t, "ada"))
	got, err := b.Confirm(t.Context(), registry.ConfirmInput{Request: by(ann, "1"), Token: token})
	require.NoError(t, err)
	require.Equal(t, storage.Active, got[0].State)
}

func TestConfirmOfNoReservation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cancelled := reserved(t, b, "ada")
	_, err := b.Cancel(t.Context(), cancelled)
	require.NoError(t, err)
	foreign := reserved(t, setup(t), "bob")
	for name, token := range map[string]string{"cancelled": cancelled, "unknown": foreign} {
		_, err := b.Confirm(t.Context(), registry.ConfirmInput{Request: by(ann, "1"), Token: token})
		require.ErrorIs(t, err, registry.ErrReservationNotFound, name)
	}
	b.store.changes = nil
	for _, token := range []string{"", cancelled + "A"} {
		_, err := b.Confirm(t.Context(), registry.ConfirmInput{Request: by(ann, "1"), Token: token})
		require.ErrorIs(t, err, registry.ErrReservationNotFound)
	}
	require.Empty(t, b.store.changes, "a forged token reaches no database")
}

func TestConfirmBeyondTheLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.give("ann", username(t, "lace"), storage.Active)
	_, err := b.Confirm(t.Context(), registry.ConfirmInput{Request: by(ann, "1"), Token: reserved(t, b, "ada")})
	require.Equal(t, &storage.LimitError{Limit: limit}, err)
}

func TestConfirmTellsNoPrivateValue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, err := b.ReserveAll(t.Context(), askAll("1", name("ada"), email("ada@example.org")))
	require.NoError(t, err)
	b.store.give("bob", parsed(t, email("").Kind, "ada@example.org"), storage.Active)
	_, err = b.Confirm(t.Context(), registry.ConfirmInput{Request: by(ann, "1"), Token: made.Token})
	require.Equal(t, &registry.UnavailableError{Kind: email("").Kind, Value: "", Reason: registry.Taken}, err)
}
