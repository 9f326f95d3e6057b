package localpg_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg"
)

func TestKillThenRestart(t *testing.T) {
	t.Parallel()
	dir := seeded(t)
	s := start(t, dir)
	addName(t, s.Endpoint, "anna")
	require.NoError(t, s.Kill())
	requireNoProcess(t, dir)
	_, err := localpg.Attach(t.Context(), dir)
	require.ErrorIs(t, err, localpg.ErrNotRunning)
	require.NoError(t, s.Restart(t.Context()))
	require.Equal(t, "anna", names(t, s.Endpoint))
}

// The orphan is busy, so it does not notice that its server is gone, and would
// keep the next one from the shared memory.
func TestServerKilledWithBusyBackend(t *testing.T) {
	t.Parallel()
	dir := seeded(t)
	s := start(t, dir)
	addName(t, s.Endpoint, "anna")
	busy := psql(s.DSN("names"), "SELECT count(*) FROM generate_series(1, 1e15::bigint)")
	require.NoError(t, busy.Start())
	defer func() { _ = busy.Wait() }()
	await(t, func() bool {
		return query(t, s.DSN("names"), "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%1e15%' AND pid <> pg_backend_pid()") == "1"
	})
	require.NoError(t, syscall.Kill(s.PID(), syscall.SIGKILL))
	await(t, func() bool { return syscall.Kill(s.PID(), 0) != nil })
	stop(t, s)
	requireNoProcess(t, dir)
	require.Equal(t, "anna", names(t, start(t, dir).Endpoint))
}

func TestOwnerKilled(t *testing.T) {
	t.Parallel()
	for _, paused := range []bool{false, true} { // a paused server hears no request to end
		t.Run(fmt.Sprintf("paused=%v", paused), func(t *testing.T) {
			t.Parallel()
			dir := seeded(t)
			owner, pid := startHolder(t, dir)
			e, err := localpg.Attach(t.Context(), dir)
			require.NoError(t, err)
			addName(t, e, "anna")
			requireServes(t, true, dir, pid)
			if paused {
				require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
			}
			require.NoError(t, owner.Process.Kill())
			_ = owner.Wait()

			s := start(t, dir)
			require.Equal(t, "anna", names(t, s.Endpoint))
			requireServes(t, false, dir, pid)
		})
	}
}

func TestInterruptedFirstStart(t *testing.T) {
	t.Parallel()
	dir := stateFolder(t)
	ctx, cancel := context.WithCancel(t.Context())
	unfinished := filepath.Join(dir, "pg", "initdb-*")
	failed := make(chan error)
	go func() {
		_, err := localpg.Start(ctx, localpg.Options{Dir: dir})
		failed <- err
	}()
	await(t, func() bool {
		left, err := filepath.Glob(filepath.Join(unfinished, "PG_VERSION"))
		require.NoError(t, err)
		return len(left) > 0
	})
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
	_, err := localpg.Attach(t.Context(), dir)
	require.ErrorIs(t, err, localpg.ErrNoCluster)

	start(t, dir)
	left, err := filepath.Glob(unfinished)
	require.NoError(t, err)
	require.Empty(t, left)
}

// After a reboot the number in a lock file may be that of any process.
func TestLockFileOfAnUnrelatedProcess(t *testing.T) {
	t.Parallel()
	dir := seeded(t)
	s := start(t, dir)
	addName(t, s.Endpoint, "anna")
	text, err := os.ReadFile(filepath.Join(homeOf(t, dir), "data", "postmaster.pid"))
	require.NoError(t, err)
	stop(t, s)

	other := exec.Command("sleep", "600")
	require.NoError(t, other.Start())
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	changed := fmt.Appendf(nil, "%d%s", other.Process.Pid, text[len(fmt.Sprint(s.PID())):])
	require.NoError(t, os.WriteFile(filepath.Join(homeOf(t, dir), "data", "postmaster.pid"), changed, 0o600))
	_, err = localpg.Attach(t.Context(), dir)
	require.ErrorIs(t, err, localpg.ErrNotRunning)
	require.Equal(t, "anna", names(t, start(t, dir).Endpoint))
	require.NoError(t, syscall.Kill(other.Process.Pid, 0))
}
