package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/localpg/pgtest"
	"namegate/storage/postgres"
	"namegate/storage/storagetest"
)

var server pgtest.Shared

// serveStore holds, in the environment of a second process of the tests, the store
// that it serves on its standard input and output.
const serveStore = "NAMEGATE_TEST_SERVE_STORE"

// served is a store in a second process.
type served struct {
	Databases []postgres.Database
	Terms     storage.Terms
	// Life is after how many writes of sagas the process dies; zero is never.
	Life int
}

func TestMain(m *testing.M) {
	if store := os.Getenv(serveStore); store != "" {
		os.Exit(serve(store))
	}
	os.Exit(server.Run(m))
}

// stdio is the connection to the parent process.
type stdio struct {
	io.Reader
	io.Writer
}

func (stdio) Close() error { return nil }

func serve(store string) int {
	var asked served
	if err := json.Unmarshal([]byte(store), &asked); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	o := postgres.Options{
		Databases: asked.Databases, Fingerprint: fingerprint, Terms: asked.Terms, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	s, err := postgres.Open(context.Background(), o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if left := int64(asked.Life); left > 0 {
		postgres.OnWrite(s, func() {
			if atomic.AddInt64(&left, -1) == 0 {
				os.Exit(1)
			}
		})
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

// discard is the logger of stores whose faults are wanted.
var discard = slog.New(slog.DiscardHandler)

func logger(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}

// openRemote opens a store in a process of its own.
func openRemote(t testing.TB, o postgres.Options) *storagetest.Remote {
	t.Helper()
	child, remote := startRemote(t, o, 0, t.Output())
	t.Cleanup(func() {
		require.NoError(t, remote.Close())
		require.NoError(t, child.Wait())
	})
	return remote
}

// startRemote opens a store in a process of its own, in a far time zone, which dies
// after so many writes of sagas unless that is zero. Whoever starts it waits for its end.
func startRemote(t testing.TB, o postgres.Options, life int, log io.Writer) (*exec.Cmd, *storagetest.Remote) {
	t.Helper()
	store, err := json.Marshal(served{o.Databases, o.Terms, life})
	require.NoError(t, err)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), serveStore+"="+string(store), "TZ=Pacific/Kiritimati", "PGTZ=Pacific/Kiritimati")
	child.Stderr = log
	in, err := child.StdinPipe()
	require.NoError(t, err)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	return child, storagetest.Dial(struct {
		io.Reader
		io.WriteCloser
	}{out, in})
}
