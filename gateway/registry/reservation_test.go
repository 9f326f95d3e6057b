package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
)

func TestATokenShowsAndCancelsItsReservation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, err := b.Reserve(t.Context(), ask("ada"))
	require.NoError(t, err)

	held, err := b.Reservation(t.Context(), made.Token)
	require.NoError(t, err)
	require.Equal(t, []storage.Holding{made.Holding}, held)

	released, err := b.Cancel(t.Context(), made.Token)
	require.NoError(t, err)
	require.Equal(t, held, released)
	require.Empty(t, b.store.held)

	held, err = b.Reservation(t.Context(), made.Token)
	require.NoError(t, err)
	require.Empty(t, held)
	_, err = b.Cancel(t.Context(), made.Token)
	require.ErrorIs(t, err, registry.ErrReservationNotFound)
}

func TestATokenWithoutARecord(t *testing.T) {
	t.Parallel()
	made, err := setup(t).Reserve(t.Context(), ask("ada"))
	require.NoError(t, err)
	_, err = setup(t).Reservation(t.Context(), made.Token)
	require.ErrorIs(t, err, registry.ErrReservationNotFound)
}

func TestAForgedTokenReachesNoDatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, err := b.Reserve(t.Context(), ask("ada"))
	require.NoError(t, err)
	foreign := b.withKeys(t, newSecret)
	for _, token := range []string{"", "A", made.Token + "A", made.Token[1:]} {
		_, err = b.Reservation(t.Context(), token)
		require.ErrorIs(t, err, registry.ErrReservationNotFound)
	}
	_, err = foreign.Cancel(t.Context(), made.Token)
	require.ErrorIs(t, err, registry.ErrReservationNotFound)
	require.Zero(t, b.store.lookups)
}
