package postgres_test

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/localpg"
	"namegate/storage/localpg/pgtest"
	"namegate/storage/postgres"
)

// callLimit is the longest that a call may take whatever happens to a database:
// one run of a batch, and another that it waited behind.
const callLimit = 10 * time.Second

// ownServer is a registry whose second database is on a server of its own.
func ownServer(t *testing.T) (*localpg.Server, postgres.Options) {
	t.Helper()
	own := pgtest.NewServer(t, nil, "own")
	o := options(t, 1)
	o.Databases = append(o.Databases, postgres.Database{Name: "own", DSN: own.DSN("own")})
	require.NoError(t, postgres.Migrate(t.Context(), o))
	return own, o
}

// limited is a context for one call.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), callLimit)
	t.Cleanup(cancel)
	return ctx
}

// requireRecovered says that the store serves both halves again, without a restart.
func requireRecovered(t *testing.T, s *postgres.Store) {
	t.Helper()
	for half := range 2 {
		require.Eventually(t, func() bool {
			_, err := s.Reserve(limited(t), requestIn(half, nameIn(half)))
			return err == nil
		}, 30*time.Second, 10*time.Millisecond)
	}
}

// An outage of one database is told in time, harms no other, and passes.
func TestADatabaseThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	outages := map[string]struct{ begin, end func(*localpg.Server) error }{
		"stopped by SIGSTOP": {(*localpg.Server).Pause, (*localpg.Server).Resume},
		"killed":             {(*localpg.Server).Kill, func(s *localpg.Server) error { return s.Restart(context.Background()) }},
	}
	for name, outage := range outages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own, o := ownServer(t)
			s := open(t, o)
			before := requestIn(1, nameIn(1))
			first, err := s.Reserve(t.Context(), before)
			require.NoError(t, err)
			during := requestIn(1, nameIn(0)) // its name is on the database that answers, its record is not

			require.NoError(t, outage.begin(own))
			_, err = s.Lookup(limited(t), nameIn(1))
			requireUnavailable(t, err)
			_, err = s.Reserve(limited(t), during)
			requireUnavailable(t, err)
			_, err = s.Reserve(limited(t), requestIn(0, nameIn(0)))
			require.NoError(t, err)
			require.NoError(t, outage.end(own))

			requireRecovered(t, s)
			resent, err := s.Reserve(limited(t), before)
			require.NoError(t, err)
			require.Equal(t, first, resent)
			late, err := s.Reserve(limited(t), during)
			require.NoError(t, err)
			held, err := s.Reservation(limited(t), during.Request)
			require.NoError(t, err)
			require.Equal(t, []storage.Holding{late.Holding}, held)
		})
	}
}

func TestStartWithoutADatabase(t *testing.T) {
	t.Parallel()
	own, o := ownServer(t)
	require.NoError(t, own.Kill())
	s := open(t, o)
	_, err := s.Lookup(limited(t), nameIn(0))
	require.NoError(t, err)
	_, err = s.Lookup(limited(t), nameIn(1))
	requireUnavailable(t, err)
	health := s.Health(t.Context())
	require.NoError(t, health[0].Err)
	require.Error(t, health[1].Err)
	require.NoError(t, own.Restart(t.Context()))
	requireRecovered(t, s)
	require.NoError(t, s.Health(t.Context())[1].Err)
}

// Backends are ended while callers reserve. Whatever each was told, its resend
// gets one name that it holds, and nobody holds two.
func TestConnectionsThatAreKilled(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	s := open(t, o)
	stop, done := make(chan struct{}), make(chan struct{})
	killer := connect(t, o.Databases[0])
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				_, _ = killer.Exec(context.Background(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
					WHERE pid <> pg_backend_pid() AND datname = current_database()`)
			}
		}
	}()
	requests := make([]storage.ReserveRequest, 2000)
	answers := make([]storage.Outcome, len(requests))
	var callers sync.WaitGroup
	for i := range requests {
		requests[i] = request(freshName(), freshName())
		callers.Go(func() { answers[i], _ = s.Reserve(limited(t), requests[i]) })
	}
	callers.Wait()
	close(stop)
	<-done
	requireRecovered(t, s)
	for i, req := range requests {
		outcome, err := s.Reserve(t.Context(), req)
		require.NoError(t, err)
		if answers[i] != (storage.Outcome{}) {
			require.Equal(t, answers[i], outcome)
		}
		held, err := s.Reservation(t.Context(), req.Request)
		require.NoError(t, err)
		require.Equal(t, []storage.Holding{outcome.Holding}, held)
	}
}

// cutter is a server's socket as seen through a connection that may break before
// the server hears what it is asked, or when it has done that and the client has not
// heard of it.
type cutter struct {
	swallow, cut atomic.Bool
	// lost counts answers that were thrown away.
	lost atomic.Int64
}

// through gives the database as seen through a cutter.
func (c *cutter) through(t *testing.T, d postgres.Database) postgres.Database {
	t.Helper()
	config, err := pgx.ParseConfig(d.DSN)
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "namegate-cut-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	require.NoError(t, err)
	socket := filepath.Join(config.Host, ".s.PGSQL.5432")
	var links sync.WaitGroup
	links.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			links.Go(func() { c.link(client, socket) })
		}
	})
	t.Cleanup(func() { _ = listener.Close(); links.Wait() })
	d.DSN = "host=" + dir + " user=" + config.User + " dbname=" + config.Database
	return d
}

func (c *cutter) link(client net.Conn, socket string) {
	defer client.Close()
	server, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer server.Close()
	var up sync.WaitGroup
	up.Go(func() { pump(server, client, c.swallow.Load) })
	pump(client, server, func() bool {
		lost := c.cut.Load()
		if lost {
			c.lost.Add(1)
		}
		return lost
	})
	up.Wait()
}

// pump copies what comes until it is lost, or one end is closed, and closes the other.
func pump(to io.WriteCloser, from io.Reader, lost func() bool) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || lost() {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func TestAnswerLostAfterCommit(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	var c cutter
	cut := o
	cut.Databases = []postgres.Database{c.through(t, o.Databases[0]), c.through(t, o.Databases[1])}
	s := open(t, cut)
	reserveFresh(t, s)
	for range 20 {
		req := request(freshName(), freshName())
		c.cut.Store(true)
		lost := c.lost.Load()
		_, err := s.Reserve(limited(t), req)
		requireUnavailable(t, err)
		require.Greater(t, c.lost.Load(), lost)
		c.cut.Store(false)

		outcome, err := s.Reserve(limited(t), req)
		require.NoError(t, err)
		held, err := s.Reservation(t.Context(), req.Request)
		require.NoError(t, err)
		require.Equal(t, []storage.Holding{outcome.Holding}, held)
		require.Equal(t, req.Candidates[0], outcome.Holding.Identifier, "the first name was won by the request itself")
	}
}

// A batch with a row that the server refuses (a NUL byte, which no Parser lets
// through) fails that row alone.
func TestOneBadRowHarmsNoOther(t *testing.T) {
	t.Parallel()
	s := open(t, migrated(t, 1))
	const callers = 100
	names := make([]identifier.Identifier, callers)
	errs := make([]error, callers)
	var all sync.WaitGroup
	for i := range callers {
		names[i] = freshName()
		if i%10 == 0 {
			names[i] = username("bad\x00" + names[i].Key())
		}
		all.Go(func() { _, errs[i] = s.Reserve(limited(t), request(names[i])) })
	}
	all.Wait()
	for i, err := range errs {
		if i%10 == 0 {
			require.ErrorContains(t, err, "22021")
		} else {
			require.NoError(t, err)
		}
	}
}

// A stranger's open transaction on one row makes its callers fail in time, and
// nobody else wait.
func TestALockedRowHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s := open(t, o)
	locked := freshName()
	stranger, err := connect(t, o.Databases[0]).Begin(t.Context())
	require.NoError(t, err)
	_, err = stranger.Exec(t.Context(), `INSERT INTO holdings (vshard, kind, state, since, grant_id, key) VALUES ($1, 1, 2, now(), gen_random_uuid(), $2)`,
		int16(storage.VshardOf(locked)), locked.Key())
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			_, err := s.Reserve(limited(t), request(freshName()))
			require.NoError(t, err)
		})
		all.Go(func() {
			_, err := s.Reserve(limited(t), request(locked))
			requireUnavailable(t, err)
		})
	}
	all.Wait()
	require.NoError(t, stranger.Rollback(t.Context()))
	_, err = s.Reserve(limited(t), request(locked))
	require.NoError(t, err)
}
