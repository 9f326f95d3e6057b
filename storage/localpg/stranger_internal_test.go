package localpg

import (
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestServerOfAStranger starts a server on the data as pg_ctl would. It must not
// be ended nor lose its lock file.
func TestServerOfAStranger(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "localpg-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o711))
	s, err := Start(t.Context(), Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, s.Stop(context.Background()))

	cmd := s.home.account.command(t.Context(), s.home.path, s.bins.path("postgres"),
		"-D", s.home.data(), "-c", "listen_addresses=", "-k", s.home.path)
	c, err := startChild(cmd, s.ended)
	require.NoError(t, err)
	defer func() {
		require.NoError(t, syscall.Kill(c.pid, syscall.SIGINT))
		<-c.done
	}()
	require.NoError(t, poll(t.Context(), func() (bool, error) {
		f, err := s.home.readPIDFile()
		return err == nil && f.pid == c.pid && f.ready(), nil
	}))
	_, err = Start(t.Context(), Options{Dir: dir})
	require.ErrorContains(t, err, "not started here")
	require.FileExists(t, s.home.pidFilePath())
}
