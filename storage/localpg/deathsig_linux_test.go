package localpg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg"
)

func TestServerEndsWithItsOwner(t *testing.T) {
	t.Parallel()
	dir := seeded(t)
	owner, _ := startHolder(t, dir)
	require.NoError(t, owner.Process.Kill())
	_ = owner.Wait()
	await(t, func() bool {
		left, err := localpg.Serving(dir)
		require.NoError(t, err)
		return len(left) == 0
	})
}
