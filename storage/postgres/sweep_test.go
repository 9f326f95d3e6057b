package postgres_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/postgres"
)

// retention is how long requests are kept where a test says nothing else.
const retention = 30 * 24 * time.Hour

func sweepOnce(t *testing.T, s *postgres.Store) postgres.Swept {
	t.Helper()
	swept, err := postgres.SweepOnce(t.Context(), s, retention)
	require.NoError(t, err)
	return swept
}

// insertExpired has rows that ran out: Reserved ones with n from 1 on, Protected
// ones below, in vshard 0.
func insertExpired(t *testing.T, d postgres.Database, from, to int) {
	t.Helper()
	execute(t, d, `INSERT INTO holdings (vshard, kind, state, since, expire_at, grant_id, key, owner)
		SELECT 0, 1, CASE WHEN n > 0 THEN 1 ELSE 3 END, now() - interval '2 hours', now() - interval '1 hour', gen_random_uuid(), 'row' || n,
			CASE WHEN n > 0 THEN NULL ELSE 'user:1' END
		FROM generate_series($1::integer, $2) AS n`, from, to)
}

func countHoldings(t *testing.T, d postgres.Database) int {
	t.Helper()
	return queryOne[int](t, d, `SELECT count(*) FROM holdings`)
}

func TestWhatRanOutIsSwept(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s := open(t, o)
	insertExpired(t, o.Databases[0], -2, 4500)
	reserveFresh(t, s)
	_, err := s.Import(t.Context(), []storage.ImportLine{{Number: 1, Identifier: freshName()}})
	require.NoError(t, err)
	before := queryOne[int](t, o.Databases[0], `SELECT count(*) FROM feed`)

	require.Equal(t, postgres.Swept{Expired: 4503}, sweepOnce(t, s))
	require.Equal(t, 2, countHoldings(t, o.Databases[0]))
	require.Equal(t, before+3, queryOne[int](t, o.Databases[0], `SELECT count(*) FROM feed`), "a row of the feed for each statement")
	gone := []entry{{-1, int16(storage.Released), "EXPIRE", "sweeper"}}
	require.Equal(t, gone, feedOf(t, o.Databases[0], "row4500"))
	require.Equal(t, gone, feedOf(t, o.Databases[0], "row-2"))
	require.Equal(t, []string{"row-1", "row-2", "row0"}, auditOf(t, o.Databases[0], "EXPIRE"))
	require.Zero(t, sweepOnce(t, s))
}

// auditOf are the keys of Released entries of a cause, which the sweeper made.
func auditOf(t *testing.T, d postgres.Database, cause string) []string {
	t.Helper()
	rows, err := connect(t, d).Query(t.Context(), `SELECT key FROM audit WHERE cause = $1 AND state = 4 AND actor = 'sweeper' AND owner = 'user:1'
		ORDER BY length(key) DESC, key`, cause)
	require.NoError(t, err)
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return keys
}

func TestTheSweeperLeavesWhatIsNotIts(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"blocked":     `UPDATE holdings SET blocked = true`,
		"with intent": `UPDATE holdings SET intent_grant = gen_random_uuid(), intent_request = gen_random_uuid(), intent_vshard = 0, intent_attempt = gen_random_uuid(), intent_until = now() + interval '1 hour'`,
		"not over":    `UPDATE holdings SET expire_at = now() + interval '1 hour'`,
		"frozen":      `UPDATE vshards SET state = 'FROZEN', frozen_until = now() + interval '1 hour'`,
		"moved":       `UPDATE vshards SET state = 'MOVED'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := migrated(t, 1)
			s := open(t, o)
			insertExpired(t, o.Databases[0], -1, 1)
			execute(t, o.Databases[0], change)
			require.Zero(t, sweepOnce(t, s))
			require.Equal(t, 3, countHoldings(t, o.Databases[0]))
		})
	}
}

// A row that is taken over after the sweep's snapshot, and before it locks the row,
// is another tenure.
func TestATakeoverDuringASweepStands(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s := open(t, o)
	name := freshName()
	old := request(name)
	old.TTL = time.Microsecond
	_, err := s.Reserve(t.Context(), old)
	require.NoError(t, err)
	conn := connect(t, o.Databases[0])
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for err == nil {
			select {
			case <-stop:
				done <- nil
				return
			default:
				_, err = postgres.SweepOnce(context.WithoutCancel(t.Context()), s, retention)
			}
		}
		done <- err
	}()
	for range 200 {
		req := request(name)
		won, err := s.Reserve(t.Context(), req)
		require.NoError(t, err)
		held, err := s.Reservation(t.Context(), req.Request)
		require.NoError(t, err)
		require.Equal(t, []storage.Holding{won.Holding}, held)
		_, err = conn.Exec(t.Context(), `UPDATE holdings SET expire_at = now() WHERE key = $1`, name.Key())
		require.NoError(t, err)
	}
	close(stop)
	require.NoError(t, <-done)
}

// A sweep waits for nobody who has locked a row, and leaves that row alone.
func TestASweepWaitsForNobody(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s := open(t, o)
	insertExpired(t, o.Databases[0], 1, 2)
	takeover, err := connect(t, o.Databases[0]).Begin(t.Context())
	require.NoError(t, err)
	_, err = takeover.Exec(t.Context(), `UPDATE holdings SET expire_at = now() + interval '1 hour' WHERE key = 'row1'`)
	require.NoError(t, err)
	require.Equal(t, postgres.Swept{Expired: 1}, sweepOnce(t, s))
	require.NoError(t, takeover.Commit(t.Context()))
	require.Zero(t, sweepOnce(t, s))
	require.Equal(t, 1, countHoldings(t, o.Databases[0]))
}

// Sweepers of several replicas and reserves go on at once: each row goes once, and
// what was reserved meanwhile stands.
func TestSweepersAtOnce(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	a, b := open(t, o), open(t, o)
	insertExpired(t, o.Databases[0], 1, 20_000)
	var swept atomic.Int64
	var all sync.WaitGroup
	for _, s := range []*postgres.Store{a, b, a, b} {
		all.Go(func() {
			done, err := postgres.SweepOnce(context.WithoutCancel(t.Context()), s, retention)
			require.NoError(t, err)
			swept.Add(int64(done.Expired))
		})
	}
	requests := make([]storage.ReserveRequest, 500)
	for i := range requests {
		requests[i] = request(freshName())
		all.Go(func() {
			_, err := a.Reserve(context.WithoutCancel(t.Context()), requests[i])
			require.NoError(t, err)
		})
	}
	all.Wait()
	require.Equal(t, int64(20_000), swept.Load()+int64(sweepOnce(t, a).Expired))
	require.Equal(t, 20_000, queryOne[int](t, o.Databases[0], `SELECT count(*) FROM feed, unnest(changes) AS change WHERE cause = 'EXPIRE'`))
	for _, req := range requests {
		held, err := b.Reservation(t.Context(), req.Request)
		require.NoError(t, err)
		require.Len(t, held, 1)
	}
}

// The sweeper of a replica works at each tick, tells an outage once, and goes on
// when it is over.
func TestTheSweeperOfAReplica(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	o := migrated(t, 1)
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	s := open(t, o)
	ticks := make(chan time.Time)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Sweep(ctx, postgres.SweepOptions{Interval: time.Second, Retention: retention, AuditRetention: retention, After: func(d time.Duration) <-chan time.Time {
			if d < time.Second/2 || d >= 3*time.Second/2 {
				panic(d)
			}
			return ticks
		}})
	}()
	tick := func() { ticks <- time.Time{} }
	insertExpired(t, o.Databases[0], 1, 1)
	tick()
	tick() // the round before has ended
	require.Zero(t, countHoldings(t, o.Databases[0]))

	execute(t, o.Databases[0], `ALTER TABLE holdings RENAME TO away`)
	for range 4 {
		tick()
	}
	execute(t, o.Databases[0], `ALTER TABLE away RENAME TO holdings`)
	insertExpired(t, o.Databases[0], 1, 1)
	tick()
	tick()
	require.Zero(t, countHoldings(t, o.Databases[0]))
	stop()
	<-done
	require.Equal(t, 1, strings.Count(log.String(), "sweeping fails"), log.String())
	require.Equal(t, 1, strings.Count(log.String(), "sweeping works again"), log.String())
}

// lockedBuffer may be written to and read at once.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A round that finds nothing must cost next to nothing, whatever the tables hold:
// each part of it reads an index or a page from one place to another.
func TestSweepsReadNoWholeTable(t *testing.T) {
	t.Parallel()
	requireConditions(t, postgres.PlannedSweeps())
}

// requireConditions says that no statement reads a table or an index from end to end.
func requireConditions(t *testing.T, statements map[string]postgres.PlannedStatement) {
	t.Helper()
	o := migrated(t, 1)
	conn := connect(t, o.Databases[0])
	for name, s := range statements {
		t.Run(name, func(t *testing.T) {
			plan := explain(t, conn, s)
			require.NotContains(t, plan, "Seq Scan", plan)
			require.Equal(t, strings.Count(plan, "Index Scan")+strings.Count(plan, "Index Only Scan"), strings.Count(plan, "Index Cond"), plan)
		})
	}
}
