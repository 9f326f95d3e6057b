package localpg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg"
)

func TestAttach(t *testing.T) {
	t.Parallel()
	dir := stateFolder(t)
	_, err := localpg.Attach(t.Context(), dir)
	require.ErrorIs(t, err, localpg.ErrNoCluster)

	s := start(t, dir)
	addName(t, s.Endpoint, "anna")
	e, err := localpg.Attach(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, "anna", names(t, e))

	stop(t, s)
	_, err = localpg.Attach(t.Context(), dir)
	require.ErrorIs(t, err, localpg.ErrNotRunning)
}
