package localpg

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A process that is forked by another goroutine holds a copy of the lock's file
// until it executes its program; the copy must not keep the folder locked.
func TestUnlockFreesTheHomeWhileAForkedChildHasTheFile(t *testing.T) {
	t.Parallel()
	h := home{path: t.TempDir()}
	f, err := h.lock("dir")
	require.NoError(t, err)
	inherited, err := syscall.Dup(int(f.Fd()))
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Close(inherited)) }()
	_, err = h.lock("dir")
	require.ErrorAs(t, err, new(*InUseError))
	require.NoError(t, unlock(f))
	again, err := h.lock("dir")
	require.NoError(t, err)
	require.NoError(t, unlock(again))
}
