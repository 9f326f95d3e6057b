package localpg_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg"
)

// template is a state folder that was started once, with a database called
// names. Copies of it save tests most of the time of a first start.
var template struct {
	once sync.Once
	dir  string
	err  error
}

func makeTemplate() {
	if template.dir, template.err = newFolder(); template.err != nil {
		return
	}
	s, err := localpg.Start(context.Background(), localpg.Options{Dir: template.dir, Databases: []string{"names"}})
	if template.err = err; err != nil {
		return
	}
	template.err = errors.Join(s.Stop(context.Background()), os.Remove(filepath.Join(template.dir, "pg", "server.log")))
}

// seed puts a copy of the template into a state folder.
func seed(t *testing.T, dir string) string {
	t.Helper()
	template.once.Do(makeTemplate)
	require.NoError(t, template.err)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, exec.Command("cp", "-a", filepath.Join(template.dir, "pg"), dir).Run())
	return dir
}

func seeded(t *testing.T) string {
	t.Helper()
	return seed(t, stateFolder(t))
}

// stateFolder gives a folder that every account can enter, and removes all
// that became of it.
func stateFolder(t *testing.T) string {
	t.Helper()
	dir, err := newFolder()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func newFolder() (string, error) {
	dir, err := os.MkdirTemp("", "localpg-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o711)
}

func start(t *testing.T, dir string) *localpg.Server {
	t.Helper()
	s, err := localpg.Start(t.Context(), localpg.Options{Dir: dir, Databases: []string{"names"}})
	require.NoError(t, err)
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *localpg.Server) {
	t.Helper()
	require.NoError(t, s.Stop(context.Background()))
}

func query(t *testing.T, dsn, statement string) string {
	t.Helper()
	out, err := psql(dsn, statement).CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

func psql(dsn, statement string) *exec.Cmd {
	return exec.Command("psql", "-XAtqc", statement, dsn)
}

// addName writes a row that must never be lost; names gives all of them.
func addName(t *testing.T, e localpg.Endpoint, name string) {
	t.Helper()
	query(t, e.DSN("names"), "CREATE TABLE IF NOT EXISTS held (name text); INSERT INTO held VALUES ('"+name+"')")
}

func names(t *testing.T, e localpg.Endpoint) string {
	t.Helper()
	return query(t, e.DSN("names"), "SELECT string_agg(name, ' ' ORDER BY name) FROM held")
}

func requireServes(t *testing.T, want bool, dir string, pid int) {
	t.Helper()
	all, err := localpg.Serving(dir)
	require.NoError(t, err)
	require.Equal(t, want, slices.Contains(all, pid))
}

func requireNoProcess(t *testing.T, dir string) {
	t.Helper()
	left, err := localpg.Serving(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
}

// await polls until done, on the goroutine of the test.
func await(t *testing.T, done func() bool) {
	t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(time.Minute)
	for !done() {
		select {
		case <-ticker.C:
		case <-deadline:
			require.Fail(t, "waited in vain")
		}
	}
}

func homeOf(t *testing.T, dir string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(filepath.Join(dir, "pg"))
	require.NoError(t, err)
	return path
}
