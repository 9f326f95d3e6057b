package postgres_test

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

// dead is a confirm that a replica left when it died.
type dead struct {
	databases []postgres.Database
	store     *postgres.Store
	change    storage.Change
	reserved  storage.ReserveRequest
	name      identifier.Identifier
}

// leaveDead has a replica die in the middle of a confirm, over two databases.
func leaveDead(t *testing.T, decided bool) dead {
	t.Helper()
	o := migrated(t, 2)
	d := dead{databases: o.Databases, store: open(t, o), name: nameIn(0)}
	d.reserved = request(d.name)
	_, err := d.store.Reserve(t.Context(), d.reserved)
	require.NoError(t, err)
	d.change = storage.Change{Owner: ownerIn(1), Actor: "test"}
	d.change.Request = storage.NewUserRequestKey(d.change.Owner, rand.Text())
	require.NoError(t, postgres.DieConfirming(t.Context(), d.store, d.change, d.reserved.Request, decided))
	return d
}

// ownerIn is an account of the given half of the vshards.
func ownerIn(half int) string {
	for {
		if owner := "user:" + rand.Text(); int(storage.VshardOfOwner(owner))/(storage.Vshards/2) == half {
			return owner
		}
	}
}

// pass has a time go by for what a saga left.
func (d dead) pass(t *testing.T, age time.Duration) {
	t.Helper()
	for _, database := range d.databases {
		execute(t, database, `UPDATE holdings SET intent_until = intent_until - $1::bigint * interval '1 microsecond', expire_at = expire_at - $1 * interval '1 microsecond'`, age.Microseconds())
		execute(t, database, `UPDATE requests SET since = since - $1::bigint * interval '1 microsecond', created_at = created_at - $1 * interval '1 microsecond'`, age.Microseconds())
	}
}

func (d dead) state(t *testing.T) storage.State {
	t.Helper()
	return storage.State(queryOne[int16](t, d.databases[0], `SELECT state FROM holdings WHERE key = $1`, d.name.Key()))
}

func (d dead) intents(t *testing.T) int {
	t.Helper()
	return queryOne[int](t, d.databases[0], `SELECT count(*) FROM holdings WHERE intent_grant IS NOT NULL`)
}

func TestAnUndecidedSagaIsGivenUp(t *testing.T) {
	t.Parallel()
	d := leaveDead(t, false)
	require.Zero(t, sweepOnce(t, d.store), "its replica may live")
	require.Equal(t, 1, d.intents(t))
	d.pass(t, time.Minute)
	require.Equal(t, postgres.Swept{Settled: 1}, sweepOnce(t, d.store))
	require.Zero(t, d.intents(t))
	require.Equal(t, storage.Reserved, d.state(t))
	require.Zero(t, sweepOnce(t, d.store))

	list, err := d.store.Confirm(t.Context(), d.change, d.reserved.Request)
	require.NoError(t, err, "the reservation stands, and the request is free for another attempt")
	require.Len(t, list, 1)
}

func TestADecidedSagaIsCarriedOut(t *testing.T) {
	t.Parallel()
	for name, mark := range map[string]struct {
		lost string // what stands for the rest being found by the other way
		want postgres.Swept
	}{
		"found by its intent":  {`UPDATE requests SET since = now()`, postgres.Swept{Settled: 1}},
		"found by its account": {`UPDATE holdings SET intent_until = now() + interval '1 hour' WHERE intent_grant IS NOT NULL`, postgres.Swept{Finished: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := leaveDead(t, true)
			require.Zero(t, sweepOnce(t, d.store), "its replica may live")
			d.pass(t, time.Minute)
			for _, database := range d.databases {
				execute(t, database, mark.lost)
			}
			require.Equal(t, mark.want, sweepOnce(t, d.store))
			require.Zero(t, d.intents(t))
			require.Equal(t, storage.Active, d.state(t))
			require.Zero(t, queryOne[int](t, d.databases[1], `SELECT count(*) FROM accounts WHERE pending_request IS NOT NULL`))
			held, err := d.store.Account(t.Context(), d.change.Owner)
			require.NoError(t, err)
			require.Len(t, held, 1)
			require.Zero(t, sweepOnce(t, d.store))
		})
	}
}

func TestOldRequestsAreTrimmed(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s := open(t, o)
	execute(t, o.Databases[0], `INSERT INTO requests (vshard, state, id, arguments, created_at)
		SELECT 0, 2, gen_random_uuid(), '', now() - CASE WHEN n % 2 = 0 THEN interval '31 days' ELSE interval '29 days' END
		FROM generate_series(1, 20000) AS n`)
	require.Equal(t, postgres.Swept{Requests: 10_000}, sweepOnce(t, s))
	require.Equal(t, 10_000, queryOne[int](t, o.Databases[0], `SELECT count(*) FROM requests WHERE created_at > now() - interval '30 days'`))
	execute(t, o.Databases[0], `UPDATE requests SET created_at = now() - interval '31 days'`)
	execute(t, o.Databases[0], `UPDATE vshards SET state = 'MOVED'`)
	require.Zero(t, sweepOnce(t, s))
}

// A decision that is not carried out must be found for as long as that takes: the
// intents that it left would be undone without it. It is carried out before, so
// the sweep's own turn is taken from it.
func TestAPendingDecisionIsNeverTrimmed(t *testing.T) {
	t.Parallel()
	d := leaveDead(t, true)
	d.pass(t, 2*retention)
	execute(t, d.databases[0], `ALTER TABLE holdings RENAME TO away`) // so that nothing can be carried out
	swept, err := postgres.SweepOnce(t.Context(), d.store, retention)
	require.Error(t, err)
	require.Equal(t, postgres.Swept{Requests: 1}, swept, "the reservation's record alone")
	execute(t, d.databases[0], `ALTER TABLE away RENAME TO holdings`)
	sweepOnce(t, d.store)
	require.Equal(t, storage.Active, d.state(t))
	sweepOnce(t, d.store)
	require.Zero(t, queryOne[int](t, d.databases[1], `SELECT count(*) FROM requests`))
}

func TestAnUndecidedSagaIsTrimmedInTheEnd(t *testing.T) {
	t.Parallel()
	d := leaveDead(t, false)
	for _, database := range d.databases {
		execute(t, database, `UPDATE requests SET created_at = now() - interval '31 days'`)
	}
	swept := sweepOnce(t, d.store)
	require.Equal(t, 2, swept.Requests, "with that of the reservation")
	_, err := d.store.Confirm(t.Context(), d.change, d.reserved.Request)
	require.ErrorIs(t, err, storage.ErrNotFound)
}
