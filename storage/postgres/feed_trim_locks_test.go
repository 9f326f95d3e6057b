package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage/feed"
	"namegate/storage/postgres"
)

// An open transaction that has written to the feed keeps its table. Writers do not
// wait for whoever would put it aside, nor for long when it is.
func TestTrimmingHoldsUpNobody(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	addAged(t, d, "old", "2 hours")
	long, err := connect(t, d).Begin(t.Context())
	require.NoError(t, err)
	_, err = long.Exec(t.Context(), addSQL, "long")
	require.NoError(t, err)
	f := follow(t, r)
	reserveFresh(t, s) // connections are made

	trimmed := make(chan error, 1)
	go func() { trimmed <- postgres.TrimPartitions(context.WithoutCancel(t.Context()), s, auditAge) }()
	for done := false; !done; {
		reserveFresh(t, s) // a writer waits half a second for a lock
		select {
		case err := <-trimmed:
			require.ErrorContains(t, err, "55P03")
			done = true
		default:
		}
	}
	require.Zero(t, queryOne[int](t, d, `SELECT count(*) FROM feed_past`))
	require.NoError(t, long.Commit(t.Context()))
	require.NoError(t, f.poll(t.Context(), r))
	require.Contains(t, f.keys(), "long")
	require.NoError(t, postgres.TrimPartitions(t.Context(), s, auditAge))
	require.NotZero(t, queryOne[int](t, d, `SELECT count(*) FROM feed_past`))
}

// What is committed while the table's lock is waited for is put aside too, and
// readers look for it there.
func TestPuttingAsideNotesWhatItWaitedFor(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	addAged(t, d, "old", "2 hours")
	late, err := connect(t, d).Begin(t.Context())
	require.NoError(t, err)
	_, err = late.Exec(t.Context(), addSQL, "late")
	require.NoError(t, err)
	f := followBeside(t, r, 0) // the late one is above
	trimmed := make(chan error, 1)
	go func() { trimmed <- postgres.TrimPartitions(context.WithoutCancel(t.Context()), s, auditAge) }()
	awaitWaiter(t, d, "feed")
	require.NoError(t, late.Commit(t.Context()))
	require.NoError(t, <-trimmed)
	require.Zero(t, queryOne[int](t, d, `SELECT count(*) FROM feed`))
	require.NoError(t, f.poll(t.Context(), r))
	require.Equal(t, []string{"late"}, f.keys())
}

// awaitWaiter returns when somebody waits for a lock on a table.
func awaitWaiter(t testing.TB, d postgres.Database, table string) {
	t.Helper()
	watch := connect(t, d)
	oid := queryOne[uint32](t, d, `SELECT $1::text::regclass::oid`, table)
	require.Eventually(t, func() bool {
		var n int
		waits := `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = $1`
		return watch.QueryRow(context.Background(), waits, oid).Scan(&n) == nil && n > 0
	}, 10*time.Second, time.Millisecond)
}

// A poll that waits for a table being put aside, or for a part of the past being
// dropped, must not take what is left then for whole, whatever transactions the
// database gives it.
func TestAPollThatMeetsTrimming(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{"read committed", "repeatable read"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			o := migrated(t, 1)
			d := o.Databases[0]
			isolate(t, d, isolation)
			r := feedOn(t, o)
			f := follow(t, r)
			require.NoError(t, f.poll(t.Context(), r)) // the statement is prepared: what waits is its execution
			p := f.position(t)
			add(t, d, "old")
			polled := pollMeets(t, d, r, p, "feed", `LOCK TABLE feed IN ACCESS EXCLUSIVE MODE;
				UPDATE identity SET feed_past = (SELECT xid FROM feed ORDER BY xid DESC LIMIT 1);
				ALTER TABLE feed RENAME TO feed_old; CREATE TABLE feed (LIKE feed_old INCLUDING ALL); ALTER TABLE feed_old INHERIT feed_past`)
			require.NoError(t, polled.err)
			require.Len(t, polled.events, 1)

			polled = pollMeets(t, d, r, p, "feed_past", `LOCK TABLE feed_past IN ACCESS EXCLUSIVE MODE;
				UPDATE identity SET feed_trimmed = feed_past; DROP TABLE feed_old`)
			var void *feed.RebuildError
			require.ErrorAs(t, polled.err, &void)
		})
	}
}

type pollResult struct {
	events []feed.Event
	err    error
}

// pollMeets polls while a transaction that changes a table is open.
func pollMeets(t *testing.T, d postgres.Database, r feed.Reader, p feed.Position, table, sql string) (polled pollResult) {
	t.Helper()
	change, err := connect(t, d).Begin(t.Context())
	require.NoError(t, err)
	_, err = change.Exec(t.Context(), `SET LOCAL transaction_isolation = 'read committed'`)
	require.NoError(t, err)
	_, err = change.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, polled.err = r.Poll(context.WithoutCancel(t.Context()), p, func(page []feed.Event) error {
			polled.events = append(polled.events, page...)
			return nil
		})
	}()
	awaitWaiter(t, d, table)
	require.NoError(t, change.Commit(t.Context()))
	<-done
	return polled
}

func TestTwoReplicasTrimAtOnce(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	a, b := open(t, o), open(t, o)
	for hours := 25; hours < 35; hours++ {
		add(t, d, "old")
		putAside(t, a, d, fmt.Sprintf("%d hours", hours))
	}
	addAged(t, d, "due", "2 hours")
	writer, err := connect(t, d).Begin(t.Context()) // both find that it is due
	require.NoError(t, err)
	_, err = writer.Exec(t.Context(), addSQL, "late")
	require.NoError(t, err)
	var replicas sync.WaitGroup
	errs := make([]error, 2)
	for i, s := range []*postgres.Store{a, b} {
		replicas.Go(func() { errs[i] = postgres.TrimPartitions(t.Context(), s, auditAge) })
	}
	awaitWaiter(t, d, "feed")
	require.NoError(t, writer.Commit(t.Context()))
	replicas.Wait()
	for _, err := range errs {
		if err != nil {
			require.ErrorContains(t, err, "55P03", "one may leave it to the other")
		}
	}
	require.NoError(t, postgres.TrimPartitions(t.Context(), a, auditAge))
	require.Equal(t, 2, queryOne[int](t, d, `SELECT count(*) FROM feed_past`))
	require.Zero(t, queryOne[int](t, d, `SELECT count(*) FROM feed`))
	require.Equal(t, 1, queryOne[int](t, d, `SELECT count(*) FROM pg_inherits WHERE inhparent = 'feed_past'::regclass`), "put aside once")
}
