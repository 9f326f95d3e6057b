package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/postgres"
)

// Two cancels of one reservation may come in one batch: one is told that it freed the name.
func TestABatchFreesATenureOnce(t *testing.T) {
	t.Parallel()
	s := open(t, migrated(t, 1))
	one, other := reserveFresh(t, s), reserveFresh(t, s)
	a, err := s.Reservation(t.Context(), one.Request)
	require.NoError(t, err)
	b, err := s.Reservation(t.Context(), other.Request)
	require.NoError(t, err)
	freed, err := postgres.FreeInOneBatch(t.Context(), s, a[0], b[0], a[0])
	require.NoError(t, err)
	require.Equal(t, []bool{true, true, false}, freed)
}
