package postgres_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage/postgres"
)

// While nothing ends, a poll reads no table: nobody who has locked them all is waited for.
func TestAQuietPollReadsNothing(t *testing.T) {
	t.Parallel()
	_, o := onServer(t, map[string]string{"wal_writer_delay": "10s", "autovacuum": "off"})
	d := o.Databases[0]
	r := open(t, o).Feeds(time.Now)[0]
	f := follow(t, r)
	add(t, d, "a")
	require.NoError(t, f.poll(t.Context(), r))
	whole, err := r.PollWhole(t.Context(), f.position(t), [16]byte{}, 0)
	require.NoError(t, err)
	require.NotNil(t, whole.Owned, "who asks for that as well is told")
	locked, err := connect(t, d).Begin(t.Context())
	require.NoError(t, err)
	_, err = locked.Exec(t.Context(), `LOCK TABLE identity, feed, feed_past, vshards`)
	require.NoError(t, err)
	require.NoError(t, f.poll(limited(t), r))
	require.NoError(t, locked.Commit(t.Context()))
	add(t, d, "b")
	require.NoError(t, f.poll(t.Context(), r))
	require.Equal(t, []string{"a", "b"}, f.keys())
}

// A server whose backend was killed recovers under the same postmaster, gives the xid of an
// unfinished transaction out again, and has the very snapshot that a reader knows.
func TestAQuietPollAfterACrashOfABackend(t *testing.T) {
	t.Parallel()
	_, o := onServer(t, map[string]string{"wal_writer_delay": "10s", "autovacuum": "off"})
	d := o.Databases[0]
	r := open(t, o).Feeds(time.Now)[0]
	f := follow(t, r)
	again := 0
	for n := range crashes {
		add(t, d, fmt.Sprint(n))
		undone := undo(t, d)
		require.NoError(t, f.poll(t.Context(), r))
		crashBackend(t, d)
		if addUnder(t, d, fmt.Sprint(n, " after the crash")) == undone {
			again++
		}
		pollAgain(t, f, r)
		f.requireAll(t, d)
	}
	require.Greater(t, again, crashes/2, "xids that were given out again")
}

// crashBackend kills one backend, and waits until the server is back.
func crashBackend(t *testing.T, d postgres.Database) {
	t.Helper()
	started := queryOne[time.Time](t, d, `SELECT pg_postmaster_start_time()`)
	victim, other := connect(t, d), connect(t, d)
	require.NoError(t, syscall.Kill(int(victim.PgConn().PID()), syscall.SIGKILL))
	_, err := other.Exec(limited(t), `SELECT pg_sleep(60)`) // ended by the postmaster
	require.Error(t, err)
	require.Eventually(t, func() bool {
		conn, err := pgx.Connect(t.Context(), d.DSN)
		if err != nil {
			return false
		}
		return conn.Close(t.Context()) == nil
	}, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, started, queryOne[time.Time](t, d, `SELECT pg_postmaster_start_time()`), "the same postmaster")
}
