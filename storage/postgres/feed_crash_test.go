package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage/feed"
	"namegate/storage/postgres"
)

// crashes is how often the server is killed; test-faults repeats all of it.
const crashes = 8

// An abort does not reach the disk, and after a crash the server gives its xid out
// again. A reader that polled in between must see what is then committed under it;
// and also what was prepared before the crash, and nothing of what was open.
func TestTheFeedSurvivesCrashes(t *testing.T) {
	t.Parallel()
	own, o := onServer(t, map[string]string{"wal_writer_delay": "10s", "autovacuum": "off"})
	d := o.Databases[0]
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	f := follow(t, r)
	reused := 0
	for n := range crashes {
		key := fmt.Sprint(n)
		add(t, d, key)
		begin(t, d, key+" is lost")
		prepare(t, d, key)
		if n%2 == 0 {
			add(t, d, key+" after the open ones")
		}
		var undone uint64
		for range 1 + n%3 {
			undone = undo(t, d)
		}
		require.NoError(t, f.poll(t.Context(), r))
		require.NoError(t, own.Kill())
		require.NoError(t, own.Restart(t.Context()))
		if n%4 == 0 {
			pollAgain(t, f, r)
		}
		if addUnder(t, d, key+" after the crash") <= undone {
			reused++
		}
		pollAgain(t, f, r)
		execute(t, d, []string{`COMMIT`, `ROLLBACK`}[n%2]+` PREPARED '`+key+`'`)
		require.Eventually(t, func() bool {
			_, err := s.Reserve(limited(t), request(freshName()))
			return err == nil
		}, 30*time.Second, 10*time.Millisecond)
		require.NoError(t, f.poll(t.Context(), r))
		f.requireAll(t, d)
	}
	require.Greater(t, reused, crashes/2, "xids that were given out again")
}

// begin leaves a transaction open.
func begin(t testing.TB, d postgres.Database, key string) {
	t.Helper()
	_, err := connect(t, d).Exec(t.Context(), `BEGIN; `+insertRow(0, key), pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
}

func prepare(t testing.TB, d postgres.Database, key string) {
	t.Helper()
	_, err := connect(t, d).Exec(t.Context(), `BEGIN; `+insertRow(1, key)+`; PREPARE TRANSACTION '`+key+`'`, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
}

// undo begins a change and takes it back; it gives its xid.
func undo(t testing.TB, d postgres.Database) (xid uint64) {
	t.Helper()
	tx, err := connect(t, d).Begin(t.Context())
	require.NoError(t, err)
	require.NoError(t, tx.QueryRow(t.Context(), addSQL+` RETURNING xid`, "undone").Scan(&xid))
	require.NoError(t, tx.Rollback(t.Context()))
	return xid
}

// addUnder commits a change and gives its xid.
func addUnder(t testing.TB, d postgres.Database, key string) (xid uint64) {
	t.Helper()
	require.NoError(t, connect(t, d).QueryRow(t.Context(), addSQL+` RETURNING xid`, key).Scan(&xid))
	return xid
}

// pollAgain polls until the store has noticed that its connections are gone.
func pollAgain(t testing.TB, f *follower, r feed.Reader) {
	t.Helper()
	var err error
	require.Eventually(t, func() bool {
		err = f.poll(context.Background(), r)
		return !unavailable(err)
	}, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, err)
}
