package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/postgres"
)

// fenceLock is the key of the fence; an operator's program has to know it too.
const fenceLock = 0x6e616d6567617465

// isolate has a database give its transactions an isolation by default.
func isolate(t *testing.T, d postgres.Database, isolation string) {
	t.Helper()
	execute(t, d, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = ''`+
		isolation+`''', current_database()); END $$`)
}

// A mover holds the fence and takes a vshard away while a writer, past its
// look at the route map, waits. The writer must see the vshard gone, whatever
// the isolation that the database gives to transactions by default.
func TestFenceHoldsWhileAVshardMoves(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{"read committed", "repeatable read", "serializable"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			o := migrated(t, 2)
			isolate(t, o.Databases[0], isolation)
			s := open(t, o)
			name := nameIn(0)
			reserveFresh(t, s) // connections are made and statements prepared

			ctx := t.Context()
			mover, err := connect(t, o.Databases[0]).Begin(ctx)
			require.NoError(t, err)
			_, err = mover.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(fenceLock))
			require.NoError(t, err)
			_, err = mover.Exec(ctx, `UPDATE vshards SET state = 'MOVED', epoch = epoch + 1 WHERE vshard = $1`, int16(storage.VshardOf(name)))
			require.NoError(t, err)

			reserved := make(chan error, 1)
			go func() {
				_, err := s.Reserve(context.WithoutCancel(ctx), requestIn(1, name))
				reserved <- err
			}()
			waits := `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database =
				(SELECT oid FROM pg_database WHERE datname = current_database())`
			require.Eventually(t, func() bool { return queryOne[int](t, o.Databases[0], waits) > 0 }, 10*time.Second, time.Millisecond)
			require.NoError(t, mover.Commit(ctx))

			requireUnavailable(t, <-reserved)
			require.Zero(t, queryOne[int](t, o.Databases[0], `SELECT count(*) FROM holdings WHERE key = $1`, name.Key()))
		})
	}
}

// A store whose map is old learns from the fence where the vshard is, and the
// write goes through there; a read does not believe the old database either.
func TestAnOldRouteMapIsReadAgain(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	s := open(t, o)
	for _, write := range []bool{true, false} {
		name := nameIn(0)
		v := int16(storage.VshardOf(name))
		execute(t, o.Databases[0], `UPDATE vshards SET state = 'MOVED', epoch = 2 WHERE vshard = $1`, v)
		execute(t, o.Databases[1], `INSERT INTO vshards (vshard, state, epoch, move_id) VALUES ($1, 'OWNED', 2, gen_random_uuid())
			ON CONFLICT DO NOTHING`, v)
		if write {
			_, err := s.Reserve(t.Context(), request(name))
			require.NoError(t, err)
			require.Equal(t, 1, queryOne[int](t, o.Databases[1], `SELECT count(*) FROM holdings WHERE key = $1`, name.Key()))
		} else {
			execute(t, o.Databases[1], `INSERT INTO holdings (vshard, kind, state, since, grant_id, key, canonical, display)
				VALUES ($1, 1, 2, now(), gen_random_uuid(), $2, $2, $2)`, v, name.Key())
			standing, err := s.Lookup(t.Context(), name)
			require.NoError(t, err)
			require.NotNil(t, standing.Held)
		}
	}
}

func TestNoWriterWaitsLongForALockedFence(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s := open(t, o)
	mover, err := connect(t, o.Databases[0]).Begin(t.Context())
	require.NoError(t, err)
	_, err = mover.Exec(t.Context(), `SELECT pg_advisory_xact_lock($1)`, int64(fenceLock))
	require.NoError(t, err)
	_, err = s.Reserve(t.Context(), request(freshName()))
	requireUnavailable(t, err)
	_, err = s.Lookup(t.Context(), freshName())
	require.NoError(t, err, "reads do not share the fence")
	require.NoError(t, mover.Rollback(t.Context()))
	reserveFresh(t, s)
}
