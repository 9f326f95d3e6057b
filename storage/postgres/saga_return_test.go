package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
)

// An account takes back the name that it gave up, twice at once. The second request has
// read the account without its name, and then the name as the account's again: that is
// no refusal, as the account has what it asks for.
func TestTwoTakeBacksAtOnce(t *testing.T) {
	t.Parallel()
	w := newBases(t, 2).world(t)
	owner, name := accountIn(0), nameIn(1)
	w.give(t, owner, name)
	_, err := w.other.Release(t.Context(), userChange(owner), name)
	require.NoError(t, err)

	ctx := t.Context()
	first, err := connect(t, w.o.Databases[1]).Begin(ctx)
	require.NoError(t, err)
	_, err = first.Exec(ctx, `LOCK TABLE holdings IN ACCESS EXCLUSIVE MODE`)
	require.NoError(t, err)
	type taken struct {
		storage.Renamed
		err error
	}
	second := make(chan taken, 1)
	go func() {
		r, err := w.other.Rename(limited(t), userChange(owner), name)
		second <- taken{r, err}
	}()
	waits := `SELECT count(*) FROM pg_locks WHERE relation = 'holdings'::regclass AND NOT granted`
	require.Eventually(t, func() bool { return queryOne[int](t, w.o.Databases[1], waits) > 0 }, 10*time.Second, time.Millisecond)

	// What the first request leaves, in either database.
	execute(t, w.o.Databases[0], `INSERT INTO slots (vshard, owner, kind, slot, key, grant_id, since)
		VALUES ($1, $2, 1, 0, $3, 'c0ffee00-0000-0000-0000-000000000000', now())`, int16(storage.VshardOfOwner(owner)), owner, name.Key())
	execute(t, w.o.Databases[0], `UPDATE accounts SET version = version + 1 WHERE owner = $1`, owner)
	_, err = first.Exec(ctx, `UPDATE holdings SET state = 2, expire_at = NULL, grant_id = 'c0ffee00-0000-0000-0000-000000000000' WHERE key = $1`, name.Key())
	require.NoError(t, err)
	require.NoError(t, first.Commit(ctx))

	got := <-second
	require.NoError(t, got.err)
	require.Equal(t, name.Key(), got.Holding.Identifier.Key())
	require.Nil(t, got.Former)
	w.requireOwns(t, owner, name)
	w.requireConsistent(t)
}
