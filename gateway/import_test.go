package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg"
)

func TestImport(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	r := startDev(t, dir)
	mixed := command(t, "import", "--data-dir", dir, "-")
	mixed.Stdin = strings.NewReader("grace.hopper,user:1\nx\nadmin\n")
	got := finish(t, mixed)
	require.Equal(t, exitRefused, got.code, got.err)
	require.Equal(t, "2 added, 0 already there, 1 refused\n", got.out)
	require.Contains(t, got.err, `line 2: "x": name has fewer than 3 characters`)
	require.Contains(t, r.check(t, "Grace.Hopper"), `"TAKEN"`)
	require.Contains(t, r.check(t, "ada"), `"available":true`)
	require.Equal(t, exitOK, r.end(t, syscall.SIGTERM))

	file := filepath.Join(dir, "names")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := io.WriteString(w, "grace.hopper,user:1\nada\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(file, packed.Bytes(), 0o600))
	got = finish(t, command(t, "import", "--data-dir", dir, file))
	require.Equal(t, exitOK, got.code, got.err)
	require.Equal(t, "1 added, 1 already there, 0 refused\n", got.out)
}

func TestAnImportCanBeInterrupted(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	require.Equal(t, exitOK, startDev(t, dir).end(t, syscall.SIGTERM))
	waiting := command(t, "import", "--data-dir", dir, "-")
	in, err := waiting.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	log, err := waiting.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, waiting.Start())
	lines := bufio.NewReader(log)
	for line := ""; !strings.Contains(line, "PostgreSQL is ready"); {
		line, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	require.NoError(t, waiting.Process.Signal(syscall.SIGINT))
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	require.Error(t, waiting.Wait())
	require.Equal(t, exitError, waiting.ProcessState.ExitCode(), string(rest))
	_, err = localpg.Attach(t.Context(), dir)
	require.ErrorIs(t, err, localpg.ErrNotRunning, "it leaves nothing running")
}

func TestImportWithNowhereToGo(t *testing.T) {
	t.Parallel()
	got := finish(t, command(t, "import", "--data-dir", t.TempDir(), "-"))
	require.Equal(t, exitError, got.code)
	require.Contains(t, got.err, "no PostgreSQL cluster")
	require.Contains(t, got.err, "--database")
	require.Empty(t, got.out)

	got = finish(t, command(t, "import", filepath.Join(t.TempDir(), "none")))
	require.Equal(t, exitError, got.code)
	require.Contains(t, got.err, "no such file")
}
