package localpg_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg"
)

func TestSocketIsPrivate(t *testing.T) {
	t.Parallel()
	s := start(t, seeded(t))
	fi, err := os.Stat(s.SocketDir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), fi.Mode().Perm())
	require.NotZero(t, ownerOf(t, s.SocketDir))
}

// Where a path does not do for a socket, the socket is elsewhere and the data is not.
func TestFolderUnfitForSocket(t *testing.T) {
	t.Parallel()
	for _, name := range []string{strings.Repeat("long", 30), "with, comma", `with "quotes" and 'single'`} {
		t.Run(name[:9], func(t *testing.T) {
			t.Parallel()
			dir := seed(t, filepath.Join(stateFolder(t), name))
			s := start(t, dir)
			require.Equal(t, filepath.Join(dir, "pg"), homeOf(t, dir))
			require.NotContains(t, s.SocketDir, dir)
			addName(t, s.Endpoint, "anna")
			e, err := localpg.Attach(t.Context(), dir)
			require.NoError(t, err)
			require.Equal(t, s.Endpoint, e)
			stop(t, s)
			require.NoDirExists(t, s.SocketDir)
			require.Equal(t, "anna", names(t, start(t, dir).Endpoint))
		})
	}
}

func TestFolderWithSpaces(t *testing.T) {
	t.Parallel()
	s := start(t, seed(t, filepath.Join(stateFolder(t), "with  some spaces")))
	addName(t, s.Endpoint, "anna")
	require.Contains(t, s.SocketDir, "with  some spaces")
}

func TestSocketFolderOfAKilledOwnerIsRemoved(t *testing.T) {
	t.Parallel()
	dir := seed(t, filepath.Join(stateFolder(t), strings.Repeat("long", 30)))
	owner, pid := startHolder(t, dir)
	e, err := localpg.Attach(t.Context(), dir)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL)) // so that nobody tidies
	require.NoError(t, owner.Process.Kill())
	require.DirExists(t, e.SocketDir)
	_ = owner.Wait()
	start(t, dir)
	require.NoDirExists(t, e.SocketDir)
}

// Root's servers run as a user who cannot enter such a folder; anybody else's can.
func TestClosedFolder(t *testing.T) {
	t.Parallel()
	closed := stateFolder(t)
	require.NoError(t, os.Chmod(closed, 0o700))
	dir := filepath.Join(closed, "state")
	s := start(t, dir)
	home := homeOf(t, dir)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(home)) })
	stays := filepath.Dir(home) == dir
	require.Equal(t, os.Geteuid() != 0, stays)
	addName(t, s.Endpoint, "anna")
	stop(t, s)

	moved := filepath.Join(closed, "moved")
	require.NoError(t, os.Rename(dir, moved))
	require.Equal(t, "anna", names(t, start(t, moved).Endpoint))
	require.Equal(t, stays, homeOf(t, moved) != home)
}

func TestFolderClosedLater(t *testing.T) {
	t.Parallel()
	dir := seeded(t)
	stop(t, start(t, dir))
	require.NoError(t, os.Chmod(dir, 0o700))
	s, err := localpg.Start(t.Context(), localpg.Options{Dir: dir})
	if os.Geteuid() != 0 {
		require.NoError(t, err)
		stop(t, s)
		return
	}
	require.ErrorContains(t, err, "cannot enter the folders above it")
}

func TestClusterRunsAsItsOwner(t *testing.T) {
	t.Parallel()
	dir := stateFolder(t)
	home := filepath.Join(dir, "pg")
	require.NoError(t, os.Mkdir(home, 0o700))
	owner := os.Geteuid()
	if owner == 0 {
		_, err := localpg.Start(t.Context(), localpg.Options{Dir: dir})
		require.ErrorContains(t, err, "belongs to root")
		owner, _ = nobody(t)
		require.NoError(t, os.Chown(home, owner, owner))
	}
	start(t, dir)
	require.Equal(t, owner, ownerOf(t, filepath.Join(home, "data")))
}

func ownerOf(t *testing.T, path string) int {
	t.Helper()
	fi, err := os.Stat(path)
	require.NoError(t, err)
	return int(fi.Sys().(*syscall.Stat_t).Uid)
}
