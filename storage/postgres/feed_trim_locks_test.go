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

// An open transaction that has written to the feed keeps its partitions. Writers
// do not wait for whoever would drop one, nor for long when it is dropped.
func TestTrimmingHoldsUpNobody(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	old := makePartition(t, d, "feed", "hour", "26 hours")
	long, err := connect(t, d).Begin(t.Context())
	require.NoError(t, err)
	_, err = long.Exec(t.Context(), agedSQL, "old", "26 hours")
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
	require.True(t, exists(t, d, old))
	require.NoError(t, long.Commit(t.Context()))
	require.NoError(t, f.poll(t.Context(), r))
	require.Contains(t, f.keys(), "old")
	require.NoError(t, postgres.TrimPartitions(t.Context(), s, auditAge))
	require.False(t, exists(t, d, old))
}

// What is committed while the partition's lock is waited for is trimmed too, and
// readers are told so.
func TestTrimmingNotesWhatItWaitedFor(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	old := makePartition(t, d, "feed", "hour", "26 hours")
	p, err := r.Now(t.Context())
	require.NoError(t, err)
	late, err := connect(t, d).Begin(t.Context())
	require.NoError(t, err)
	_, err = late.Exec(t.Context(), agedSQL, "late", "26 hours")
	require.NoError(t, err)
	trimmed := make(chan error, 1)
	go func() { trimmed <- postgres.TrimPartitions(context.WithoutCancel(t.Context()), s, auditAge) }()
	awaitWaiter(t, d)
	require.NoError(t, late.Commit(t.Context()))
	require.NoError(t, <-trimmed)
	require.False(t, exists(t, d, old))
	requireVoid(t, r, p, "trimmed")
}

// awaitWaiter returns when somebody waits for a lock on the feed.
func awaitWaiter(t testing.TB, d postgres.Database) {
	t.Helper()
	watch := connect(t, d)
	require.Eventually(t, func() bool {
		var n int
		waits := `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'feed'::regclass`
		return watch.QueryRow(context.Background(), waits).Scan(&n) == nil && n > 0
	}, 10*time.Second, time.Millisecond)
}

// A poll that waits for a partition being dropped must not take the feed that is
// left then for whole.
func TestAPollThatMeetsTrimming(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	r := feedOn(t, o)
	old := makePartition(t, d, "feed", "hour", "26 hours")
	p, err := r.Now(t.Context())
	require.NoError(t, err)
	_, err = r.Poll(t.Context(), p, ignore) // the statement is prepared: what waits is its execution
	require.NoError(t, err)
	addAged(t, d, "old", "26 hours")
	drop, err := connect(t, d).Begin(t.Context())
	require.NoError(t, err)
	_, err = drop.Exec(t.Context(), `LOCK TABLE feed IN ACCESS EXCLUSIVE MODE;
		UPDATE feed_trimmed SET xid = (SELECT max(xid::text::bigint)::text::xid8 FROM feed); DROP TABLE `+old, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	polled := make(chan error, 1)
	go func() {
		_, err := r.Poll(context.WithoutCancel(t.Context()), p, ignore)
		polled <- err
	}()
	awaitWaiter(t, d)
	require.NoError(t, drop.Commit(t.Context()))
	var void *feed.RebuildError
	require.ErrorAs(t, <-polled, &void)
}

func TestTwoReplicasTrimAtOnce(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	a, b := open(t, o), open(t, o)
	for hours := 25; hours < 35; hours++ {
		age := fmt.Sprintf("%d hours", hours+1)
		makePartition(t, d, "feed", "hour", age)
		addAged(t, d, "old", age)
	}
	execute(t, d, `INSERT INTO feed (at, cause, epochs, vshards, kinds, changes, states, keys, actors)
		SELECT now() - interval '100 hours', 'TEST', '{1}', '{0}', '{1}', '{1}', '{1}', ARRAY[n::text], '{""}' FROM generate_series(1, 5000) n`)
	var replicas sync.WaitGroup
	errs := make([]error, 2)
	for i, s := range []*postgres.Store{a, b} {
		replicas.Go(func() { errs[i] = postgres.TrimPartitions(t.Context(), s, auditAge) })
	}
	replicas.Wait()
	for _, err := range errs {
		if err != nil {
			require.ErrorContains(t, err, "55P03", "one may leave it to the other")
		}
	}
	require.NoError(t, postgres.TrimPartitions(t.Context(), a, auditAge))
	require.Zero(t, queryOne[int](t, d, `SELECT count(*) FROM feed`))
}
