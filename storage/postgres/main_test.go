package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg/pgtest"
	"namegate/storage/postgres"
	"namegate/storage/storagetest"
)

var server pgtest.Shared

// serveStore holds, in the environment of a second process of the tests, the
// databases whose store it serves on its standard input and output.
const serveStore = "NAMEGATE_TEST_SERVE_STORE"

func TestMain(m *testing.M) {
	if databases := os.Getenv(serveStore); databases != "" {
		os.Exit(serve(databases))
	}
	os.Exit(server.Run(m))
}

// stdio is the connection to the parent process.
type stdio struct {
	io.Reader
	io.Writer
}

func (stdio) Close() error { return nil }

func serve(databases string) int {
	var o postgres.Options
	if err := json.Unmarshal([]byte(databases), &o.Databases); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	o.Fingerprint, o.Terms, o.Logger = fingerprint, storagetest.Terms, slog.New(slog.NewTextHandler(os.Stderr, nil))
	s, err := postgres.Open(context.Background(), o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	storagetest.Serve(stdio{os.Stdin, os.Stdout}, s)
	s.Close()
	return 0
}

var fingerprint = []byte("fingerprint of tests")

// options are those of a store on new databases.
func options(t testing.TB, databases int) postgres.Options {
	t.Helper()
	o := postgres.Options{Fingerprint: fingerprint, Logger: logger(t), Terms: storagetest.Terms}
	for i := range databases {
		o.Databases = append(o.Databases, postgres.Database{Name: string(rune('a' + i)), DSN: server.Database(t)})
	}
	return o
}

// migrated are options whose databases are ready for use.
func migrated(t testing.TB, databases int) postgres.Options {
	t.Helper()
	o := options(t, databases)
	require.NoError(t, postgres.Migrate(t.Context(), o))
	return o
}

func open(t testing.TB, o postgres.Options) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func logger(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}

// openRemote opens a store in a process of its own, in a far time zone.
func openRemote(t testing.TB, o postgres.Options) *storagetest.Remote {
	t.Helper()
	databases, err := json.Marshal(o.Databases)
	require.NoError(t, err)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), serveStore+"="+string(databases), "TZ=Pacific/Kiritimati", "PGTZ=Pacific/Kiritimati")
	child.Stderr = t.Output()
	in, err := child.StdinPipe()
	require.NoError(t, err)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	remote := storagetest.Dial(struct {
		io.Reader
		io.WriteCloser
	}{out, in})
	t.Cleanup(func() {
		require.NoError(t, remote.Close())
		require.NoError(t, child.Wait())
	})
	return remote
}
