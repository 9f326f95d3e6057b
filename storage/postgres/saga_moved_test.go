package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

// move has the second database own a vshard of the first, with all that is in it, as
// after a move of which no store has heard.
func (b *bases) move(t *testing.T, v storage.Vshard) {
	t.Helper()
	from, to := b.pools[0], b.pools[1]
	for _, table := range []string{"holdings", "requests", "accounts", "slots"} {
		rows, err := from.Query(t.Context(), `SELECT to_jsonb(r) FROM `+table+` r WHERE vshard = $1`, int16(v))
		require.NoError(t, err)
		var row []byte
		for rows.Next() {
			require.NoError(t, rows.Scan(&row))
			_, err := to.Exec(t.Context(), `INSERT INTO `+table+` SELECT * FROM jsonb_populate_record(NULL::`+table+`, $1)`, row)
			require.NoError(t, err)
		}
		require.NoError(t, rows.Err())
	}
	_, err := from.Exec(t.Context(), `UPDATE vshards SET state = 'MOVED', epoch = 2 WHERE vshard = $1`, int16(v))
	require.NoError(t, err)
	_, err = to.Exec(t.Context(), `INSERT INTO vshards (vshard, state, epoch, move_id) VALUES ($1, 'OWNED', 2, gen_random_uuid())`, int16(v))
	require.NoError(t, err)
	for _, table := range []string{"holdings", "requests", "accounts", "slots"} {
		_, err := from.Exec(t.Context(), `DELETE FROM `+table+` WHERE vshard = $1`, int16(v))
		require.NoError(t, err)
	}
}

// An attempt was decided, and its vshard has moved. A replica with an old route map
// must not say that the attempt is given up because the old database knows nothing of it.
func TestADecidedAttemptThatMovedIsNotGivenUp(t *testing.T) {
	t.Parallel()
	w := newBases(t, 2).world(t)
	owner, req := accountIn(0), request(nameIn(1))
	_, err := w.other.Reserve(t.Context(), req)
	require.NoError(t, err)
	c := userChange(owner)
	answered := w.begin(t, afterDecide, confirmOf(c, req.Request))
	require.True(t, w.stop.stopped.Load())
	decided := w.attempt(t, c)
	w.move(t, storage.VshardOfOwner(owner))
	tooLate, _, err := postgres.Abandon(t.Context(), w.other, c, decided)
	require.NoError(t, err)
	require.True(t, tooLate, "it is decided, in the database that has it now")
	require.NoError(t, w.wake(answered).err)
	w.settle(t, []string{owner}, req.Candidates[0])
	w.requireOwns(t, owner, req.Candidates[0])
	w.requireConsistent(t)
}

// By an old route map one database has all that a rename needs. What it does not own any
// more keeps it from being decided there, be it only the name that is left.
func TestARenameIsNotDecidedWhereItCannotBeCarriedOut(t *testing.T) {
	t.Parallel()
	for _, moved := range []string{"from", "to"} {
		b := newBases(t, 2)
		w := b.world(t)
		names := map[string]identifier.Identifier{"from": nameIn(0), "to": nameIn(0)}
		owner := accountIn(0)
		for storage.VshardOf(names["from"]) == storage.VshardOf(names["to"]) || storage.VshardOf(names[moved]) == storage.VshardOfOwner(owner) {
			names["to"], owner = nameIn(0), accountIn(0)
		}
		w.give(t, owner, names["from"])
		w.move(t, storage.VshardOf(names[moved]))
		w.rename(t, owner, names["to"])
		require.Equal(t, owns(storage.Protected, owner, names["from"]), w.standing(t, names["from"]), moved)
		w.requireOwns(t, owner, names["to"])
		w.requireConsistent(t)
	}
}
