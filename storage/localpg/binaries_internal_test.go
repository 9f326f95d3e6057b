package localpg

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeInstallation gives a folder whose programs say that they are of a version.
func fakeInstallation(t *testing.T, version string, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %s'\n", version)
	for _, program := range programs {
		require.NoError(t, os.WriteFile(filepath.Join(dir, program), []byte(script), 0o755))
	}
	return dir
}

func TestInspect(t *testing.T) {
	t.Parallel()
	whole := fakeInstallation(t, "16.4 (Debian 16.4-1)", "initdb", "postgres", "psql")
	beta := fakeInstallation(t, "19beta1", "initdb", "postgres", "psql")
	wrappers := fakeInstallation(t, "16.4", "psql") // as in Debian's /usr/bin
	found, err := inspect(t.Context(), account{}, []string{"", ".", "/no/such/folder", wrappers, whole, beta})
	require.NoError(t, err)
	require.Equal(t, []binaries{{dir: whole, major: 16}, {dir: beta, major: 19}}, found)

	odd := fakeInstallation(t, "unknown", "initdb", "postgres", "psql")
	_, err = inspect(t.Context(), account{}, []string{odd})
	require.ErrorContains(t, err, "read version of PostgreSQL in "+odd)
}

func TestChoose(t *testing.T) {
	t.Parallel()
	found := []binaries{{dir: "/old", major: 13}, {dir: "/mine", major: 15}, {dir: "/new", major: 17}}
	for _, c := range []struct {
		major int // of the data, 0 for none
		want  string
	}{
		{major: 0, want: "/mine"},
		{major: 15, want: "/mine"},
		{major: 17, want: "/new"},
	} {
		b, err := choose(found, c.major)
		require.NoError(t, err)
		require.Equal(t, c.want, b.dir)
	}
}

func TestChooseSaysWhatToInstall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		found []binaries
		major int
		want  string
	}{
		{found: nil, want: "find PostgreSQL 14 or newer: there is none; install"},
		{found: []binaries{{dir: "/old", major: 13}}, want: "find PostgreSQL 14 or newer: there is 13 in /old; install"},
		{
			found: []binaries{{dir: "/new", major: 17}},
			major: 15,
			want:  "find PostgreSQL 15, which wrote the data here: there is 17 in /new; install",
		},
	} {
		_, err := choose(c.found, c.major)
		require.ErrorContains(t, err, c.want)
		require.ErrorContains(t, err, "apt-get install postgresql")
	}
}
