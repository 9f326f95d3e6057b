package pgtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg"
)

// Shared is a server that the tests of one process share. It starts at its
// first use, and TestMain must run the tests by Run, which stops it. The zero
// value is ready. A test must not pause, kill or restart it.
type Shared struct {
	once   sync.Once
	dir    string
	server *localpg.Server
	err    error
	count  atomic.Int64
}

// Run runs the tests, stops the server and gives the exit code of the process.
func (s *Shared) Run(m *testing.M) int {
	code := m.Run()
	s.once.Do(func() {}) // starts no more
	if s.server == nil {
		return code
	}
	err := errors.Join(s.server.Stop(context.Background()), os.RemoveAll(s.dir))
	if err != nil {
		fmt.Fprintln(os.Stderr, "stop PostgreSQL of the tests:", err)
		return max(code, 1)
	}
	return code
}

// Database creates an empty database, which is dropped when the test ends, and
// gives its connection string.
func (s *Shared) Database(t testing.TB) string {
	t.Helper()
	s.once.Do(s.start)
	require.NoError(t, s.err)
	name := fmt.Sprintf("test_%d", s.count.Add(1))
	require.NoError(t, s.server.CreateDatabase(t.Context(), name))
	t.Cleanup(func() { require.NoError(t, s.server.DropDatabase(context.Background(), name)) })
	return s.server.DSN(name)
}

func (s *Shared) start() {
	if s.dir, s.err = makeDir(); s.err != nil {
		return
	}
	s.server, s.err = localpg.Start(context.Background(), localpg.Options{Dir: s.dir, Settings: withDefaults(nil)})
	if s.err != nil {
		s.err = errors.Join(s.err, os.RemoveAll(s.dir))
	}
}

// NewServer starts a server of the test's own, which is stopped and removed when
// the test ends, with the given databases and, beside those of tests, settings.
func NewServer(t testing.TB, settings map[string]string, databases ...string) *localpg.Server {
	t.Helper()
	dir, err := makeDir()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	s, err := localpg.Start(t.Context(), localpg.Options{
		Dir:       dir,
		Databases: databases,
		Settings:  withDefaults(settings),
		Log:       slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	return s
}

// makeDir makes a state folder that every account can enter, so that the
// cluster of root's tests lies in it and is removed with it.
func makeDir() (string, error) {
	dir, err := os.MkdirTemp("", "namegate-test-")
	if err != nil {
		return "", fmt.Errorf("make folder of the tests: %w", err)
	}
	return dir, os.Chmod(dir, 0o711)
}

// withDefaults allows prepared transactions: they stand for long ones whose
// session is gone.
func withDefaults(settings map[string]string) map[string]string {
	all := map[string]string{"max_prepared_transactions": "16"}
	maps.Copy(all, settings)
	return all
}
