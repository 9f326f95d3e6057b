package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

// mirror is a copy of the usernames of some vshards that polls keep up to date.
type mirror struct {
	position feed.Position
	tag      [16]byte
	owned    feed.Owned
	rows     map[string]storage.State
}

// copied makes a mirror of vshards.
func copied(ctx context.Context, r postgres.FeedReader, vshards ...storage.Vshard) (*mirror, error) {
	m := &mirror{rows: map[string]storage.State{}}
	c, err := r.Copy(ctx, identifier.Username, vshards, func(page []feed.Row) error {
		for _, row := range page {
			if _, again := m.rows[row.Key]; again || !slices.Contains(vshards, row.Vshard) {
				return fmt.Errorf("row %v is one too many", row)
			}
			m.rows[row.Key] = row.State
		}
		return nil
	})
	if err == nil && int(c.Rows) != len(m.rows) {
		err = fmt.Errorf("%d rows of %d", len(m.rows), c.Rows)
	}
	m.position = c.Position
	return m, err
}

// poll goes on, and fails when an event does not fit: one that comes twice, or whose
// like was missed.
func (m *mirror) poll(ctx context.Context, r postgres.FeedReader) error {
	whole, err := r.PollWhole(ctx, m.position, m.tag, 1<<20)
	if err != nil {
		return err
	}
	if whole.Owned != nil {
		m.owned = *whole.Owned
	}
	m.tag, m.position = whole.VshardsTag, whole.Position
	for _, e := range whole.Events {
		_, there := m.rows[e.Key]
		if there != (e.Change != feed.Came) {
			return fmt.Errorf("event %v of a row that is there: %t", e, there)
		}
		m.rows[e.Key] = e.State
		if e.Change == feed.Went {
			delete(m.rows, e.Key)
		}
	}
	return nil
}

// requireTable says that the mirror is what the table is.
func (m *mirror) requireTable(t testing.TB, d postgres.Database) {
	t.Helper()
	rows, err := connect(t, d).Query(context.Background(), `SELECT key, state FROM holdings WHERE kind = 1`)
	require.NoError(t, err)
	want := map[string]storage.State{}
	var key string
	var state storage.State
	_, err = pgx.ForEachRow(rows, []any{&key, &state}, func() error { want[key] = state; return nil })
	require.NoError(t, err)
	require.Equal(t, want, m.rows)
}

func allVshards() (list []storage.Vshard) {
	for v := range storage.Vshard(storage.Vshards) {
		list = append(list, v)
	}
	return list
}

// toggle makes a row come or go, with its feed row, as one statement.
const toggle = `
WITH went AS (DELETE FROM holdings WHERE vshard = $1 AND kind = 1 AND key = $2 RETURNING 1), came AS (
	INSERT INTO holdings (vshard, kind, state, since, expire_at, grant_id, key)
	SELECT $1, 1, 1, now(), now(), gen_random_uuid(), $2 WHERE NOT EXISTS (SELECT FROM went) RETURNING 1
)
INSERT INTO feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
SELECT 'TEST', '{1}', ARRAY[$1::smallint], '{1}', ARRAY[CASE WHEN EXISTS (SELECT FROM went) THEN -1 ELSE 1 END::smallint],
	ARRAY[CASE WHEN EXISTS (SELECT FROM went) THEN 4 ELSE 1 END::smallint], ARRAY[$2], '{""}'
FROM (SELECT (SELECT count(*) FROM went) + (SELECT count(*) FROM came)) done`

// toggles toggles rows of its own, several a transaction; a third of these are undone.
func toggles(ctx context.Context, d postgres.Database, n uint64, rounds int) error {
	conn, err := pgx.Connect(ctx, d.DSN)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	random := rand.New(rand.NewPCG(n, 3))
	for range rounds {
		tx, err := conn.Begin(ctx)
		if err != nil {
			return err
		}
		for range 1 + random.IntN(4) {
			key := fmt.Sprintf("own.%d.%d", n, random.IntN(20))
			if _, err := tx.Exec(ctx, toggle, int16(storage.VshardOfOwner(key)), key); err != nil {
				return errors.Join(err, tx.Rollback(ctx))
			}
		}
		if random.IntN(3) == 0 {
			err = tx.Rollback(ctx)
		} else {
			err = tx.Commit(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// While writers commit in another order than they began, and undo, each copy with what
// its polls bring is the table, and no event comes twice or without what it changed.
func TestACopyAndItsPollsAreTheTable(t *testing.T) {
	t.Parallel()
	direct := migrated(t, 1)
	pooled := migrated(t, 1)
	behind := pooled
	behind.Databases, behind.QueryMode = startPgbouncer(t, pooled.Databases), postgres.PlainQueries
	t.Run("direct", func(t *testing.T) { copyAndPoll(t, direct, direct.Databases[0]) })
	t.Run("behind pgbouncer", func(t *testing.T) { copyAndPoll(t, behind, pooled.Databases[0]) })
}

func copyAndPoll(t *testing.T, o postgres.Options, d postgres.Database) {
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	var writers sync.WaitGroup
	failures := make([]error, 6)
	for i := range failures {
		writers.Go(func() {
			if i%2 == 0 {
				failures[i] = toggles(t.Context(), d, uint64(i), 60)
			} else {
				failures[i] = reserveAndCancel(t.Context(), s, []storage.ReserveRequest{request(freshName())})
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	var mirrors []*mirror
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		if len(mirrors) < 20 {
			m, err := copied(t.Context(), r, allVshards()...)
			require.NoError(t, err)
			mirrors = append(mirrors, m)
		}
		for _, m := range mirrors {
			require.NoError(t, m.poll(t.Context(), r))
		}
	}
	for _, err := range failures {
		require.NoError(t, err)
	}
	for _, m := range mirrors {
		require.NoError(t, m.poll(t.Context(), r))
		m.requireTable(t, d)
	}
	require.Greater(t, len(mirrors), 2)
}

// An abort does not reach the disk. A copy made after it, and a server that then dies
// and gives its xid out again, miss nothing of what is committed under it.
func TestACopySurvivesCrashes(t *testing.T) {
	t.Parallel()
	own, o := onServer(t, map[string]string{"wal_writer_delay": "10s", "autovacuum": "off"})
	d := o.Databases[0]
	r := open(t, o).Feeds(time.Now)[0]
	reused := 0
	for n := range crashes / 2 {
		require.NoError(t, toggleOnce(t, d, fmt.Sprint(n)))
		undone := undo(t, d)
		m, err := copied(t.Context(), r, allVshards()...)
		require.NoError(t, err)
		require.NoError(t, own.Kill())
		require.NoError(t, own.Restart(t.Context()))
		require.NoError(t, toggleOnce(t, d, fmt.Sprint(n, " after")))
		if queryOne[uint64](t, d, `SELECT xid FROM feed ORDER BY xid DESC LIMIT 1`) <= undone {
			reused++
		}
		require.Eventually(t, func() bool {
			err = m.poll(context.Background(), r)
			return !unavailable(err)
		}, 30*time.Second, 10*time.Millisecond)
		require.NoError(t, err)
		m.requireTable(t, d)
	}
	require.Positive(t, reused, "xids that were given out again")
}

func toggleOnce(t testing.TB, d postgres.Database, key string) error {
	_, err := connect(t, d).Exec(t.Context(), toggle, 7, key)
	return err
}
