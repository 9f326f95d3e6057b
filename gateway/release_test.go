package main

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg"
)

// importLines has names in use.
func importLines(t *testing.T, dir, lines string) {
	t.Helper()
	in := command(t, "import", "--data-dir", dir, "-")
	in.Stdin = strings.NewReader(lines)
	got := finish(t, in)
	require.Equal(t, exitOK, got.code, got.err)
}

// execute runs a statement in an embedded database, as an operator might, and gives
// what it printed.
func execute(t *testing.T, dir, database, statement string) string {
	t.Helper()
	server, err := localpg.Attach(t.Context(), dir)
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), "psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", "--command="+statement, server.DSN(database)).CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

func TestRelease(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	r := startDev(t, dir)
	importLines(t, dir, "grace.hopper,user:1\nada.lovelace,user:2\n")

	asked := command(t, "release", "--data-dir", dir, "--owner", "user:1")
	asked.Stdin = strings.NewReader("no\n")
	got := finish(t, asked)
	require.Equal(t, exitError, got.code)
	require.Contains(t, got.err, "USERNAME grace.hopper\nGive up all that user:1 has?")
	require.Empty(t, got.out)

	asked = command(t, "release", "--data-dir", dir, "--owner", "user:1", "--protection", "2d")
	asked.Stdin = strings.NewReader("y\n")
	got = finish(t, asked)
	require.Equal(t, exitOK, got.code, got.err)
	require.Regexp(t, `^USERNAME grace.hopper is kept for its former owner until 20\S+Z\n$`, got.out)
	require.Contains(t, r.check(t, "grace.hopper"), `"PROTECTED"`)
	require.Contains(t, r.check(t, "ada.lovelace"), `"TAKEN"`)

	got = finish(t, command(t, "release", "--data-dir", dir, "--owner", "user:1", "--yes"))
	require.Equal(t, exitOK, got.code, got.err)
	require.Equal(t, "user:1 has nothing\n", got.out)
	require.Equal(t, exitOK, r.end(t, syscall.SIGTERM))
}

func TestReleaseNeedsAnOwner(t *testing.T) {
	t.Parallel()
	require.Equal(t, exitUsage, finish(t, command(t, "release", "--yes")).code)
	require.Equal(t, exitUsage, finish(t, command(t, "release", "--owner", "user:1", "--protection", "0s")).code)
}
