package localpg_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg"
)

// session is an open connection that answers one line after another.
type session struct {
	in  io.Writer
	out chan string
}

func openSession(t *testing.T, e localpg.Endpoint) session {
	t.Helper()
	cmd := exec.Command("psql", "-XAtq", e.DSN("names"))
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	s := session{in: in, out: make(chan string)}
	go func() {
		defer close(s.out)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.out <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, in.Close())
		for range s.out { // to its end
		}
		_ = cmd.Wait() // fails when its server was stopped
	})
	return s
}

func (s session) ask(t *testing.T) {
	t.Helper()
	_, err := io.WriteString(s.in, "SELECT 'answer';\n")
	require.NoError(t, err)
}

func TestPause(t *testing.T) {
	t.Parallel()
	server := start(t, seeded(t))
	old := openSession(t, server.Endpoint)
	old.ask(t)
	require.Equal(t, "answer", <-old.out)

	require.NoError(t, server.Pause())
	late := openSession(t, server.Endpoint)
	old.ask(t)
	late.ask(t)
	select {
	case <-old.out:
		require.Fail(t, "a paused session answered")
	case <-late.out:
		require.Fail(t, "a paused server took a session")
	case <-time.After(300 * time.Millisecond):
	}

	require.NoError(t, server.Resume())
	require.Equal(t, "answer", <-old.out)
	require.Equal(t, "answer", <-late.out)
}

// A paused server hears nothing; it must not have to be forced for that.
func TestStopWhilePaused(t *testing.T) {
	t.Parallel()
	dir := seeded(t)
	s := start(t, dir)
	require.NoError(t, s.Pause())
	stop(t, s)
	log, err := os.ReadFile(filepath.Join(homeOf(t, dir), "server.log"))
	require.NoError(t, err)
	require.Contains(t, string(log), "database system is shut down")
}

func TestKillWhilePaused(t *testing.T) {
	t.Parallel()
	dir := seeded(t)
	s := start(t, dir)
	require.NoError(t, s.Pause())
	require.NoError(t, s.Kill())
	requireNoProcess(t, dir)
	require.NoError(t, s.Restart(t.Context()))
	addName(t, s.Endpoint, "anna")
}
