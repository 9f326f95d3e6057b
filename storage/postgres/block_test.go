package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

func order(id identifier.Identifier) storage.Order {
	return storage.Order{Identifier: id, Actor: "eve", Note: "trademark"}
}

func block(t *testing.T, s *postgres.Store, id identifier.Identifier) storage.Blocked {
	t.Helper()
	got, err := s.Block(limited(t), order(id))
	require.NoError(t, err)
	require.True(t, got.Changed)
	return got
}

func unblock(t *testing.T, s *postgres.Store, id identifier.Identifier) storage.Standing {
	t.Helper()
	got, err := s.Unblock(limited(t), order(id))
	require.NoError(t, err)
	return got
}

// trail is a row of the audit.
type trail struct {
	State              int16
	Cause              string
	Owner, Actor, Note *string
}

func trailOf(t *testing.T, d postgres.Database, key string) []trail {
	t.Helper()
	rows, err := connect(t, d).Query(t.Context(), `SELECT state, cause, owner, actor, note FROM audit WHERE key = $1 ORDER BY id`, key)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[trail])
	require.NoError(t, err)
	return list
}

func TestBlocksAreToldAndAudited(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s := open(t, o)
	id := freshName()
	block(t, s, id)
	again, err := s.Block(t.Context(), order(id))
	require.NoError(t, err)
	require.False(t, again.Changed)
	unblock(t, s, id)
	_, err = s.Unblock(t.Context(), order(id))
	require.ErrorIs(t, err, storage.ErrNotBlocked)
	_, err = s.Import(t.Context(), []storage.ImportLine{{Number: 1, Identifier: id, Owner: "user:1"}})
	require.NoError(t, err)
	block(t, s, id)
	unblock(t, s, id)
	require.Equal(t, []entry{
		{1, int16(storage.Released), "BLOCK", "eve"},
		{-1, int16(storage.Released), "UNBLOCK", "eve"},
		{1, int16(storage.Active), "IMPORT", "import"},
		{0, int16(storage.Active), "BLOCK", "eve"},
		{0, int16(storage.Active), "UNBLOCK", "eve"},
	}, feedOf(t, o.Databases[0], id.Key()))
	owner, operator, importer, note := "user:1", "eve", "import", "trademark"
	require.Equal(t, []trail{
		{int16(storage.Released), "BLOCK", nil, &operator, &note},
		{int16(storage.Released), "UNBLOCK", nil, &operator, &note},
		{int16(storage.Active), "IMPORT", &owner, &importer, nil},
		{int16(storage.Active), "BLOCK", &owner, &operator, &note},
		{int16(storage.Active), "UNBLOCK", &owner, &operator, &note},
	}, trailOf(t, o.Databases[0], id.Key()))
	require.Empty(t, verify(t, s).Faults)
}

// What is given up while it is blocked changes hands in feed and audit as if it were
// free, but its row stays, which the feed tells as well.
func TestWhatIsGivenUpStaysBlocked(t *testing.T) {
	t.Parallel()
	for _, databases := range []int{1, 2} {
		w := newBases(t, databases).world(t)
		owner, mail := accountIn(1), privateIn(0, identifier.Email)
		w.give(t, owner, mail)
		block(t, w.other, mail)
		_, err := w.other.Release(t.Context(), userChange(owner), mail)
		require.NoError(t, err)
		reserved := requestIn(1, nameIn(0))
		_, err = w.other.Reserve(t.Context(), reserved)
		require.NoError(t, err)
		block(t, w.other, reserved.Candidates[0])
		_, err = w.other.Cancel(t.Context(), reserved.Request)
		require.NoError(t, err)

		told := feedOf(t, w.o.Databases[0], mail.Key())
		require.Equal(t, entry{0, int16(storage.Released), "RELEASE", owner}, told[len(told)-1])
		told = feedOf(t, w.o.Databases[0], reserved.Candidates[0].Key())
		require.Equal(t, entry{0, int16(storage.Released), "CANCEL", ""}, told[len(told)-1])
		audited := trailOf(t, w.o.Databases[0], mail.Key())
		require.Equal(t, trail{int16(storage.Released), "RELEASE", &owner, &owner, nil}, audited[len(audited)-1])
		require.Len(t, trailOf(t, w.o.Databases[0], reserved.Candidates[0].Key()), 1, "of a reservation but its block")
		grants := queryOne[int](t, w.o.Databases[0], `SELECT count(DISTINCT grant_id) FROM audit WHERE key = $1`, mail.Key())
		require.Equal(t, 1, grants, "all of one tenure")
		require.Equal(t, 2, queryOne[int](t, w.o.Databases[0],
			`SELECT count(*) FROM holdings WHERE state = 4 AND blocked AND owner IS NULL AND holder IS NULL AND expire_at IS NULL`))
		require.Empty(t, verify(t, w.other).Faults)
		w.requireConsistent(t)
		w.close()
	}
}

// One batch frees names of which some are blocked.
func TestABatchFreesWhatIsBlocked(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s := open(t, o)
	var holdings []storage.Holding
	for range 4 {
		outcome, err := s.Reserve(t.Context(), request(freshName()))
		require.NoError(t, err)
		holdings = append(holdings, outcome.Holding)
	}
	for _, h := range holdings[1:3] {
		block(t, s, h.Identifier)
	}
	freed, err := postgres.FreeInOneBatch(t.Context(), s, holdings...)
	require.NoError(t, err)
	require.Equal(t, []bool{true, true, true, true}, freed)
	require.Equal(t, 2, countHoldings(t, o.Databases[0]))
	for i, change := range []int16{-1, 0, 0, -1} {
		told := feedOf(t, o.Databases[0], holdings[i].Identifier.Key())
		require.Equal(t, entry{change, int16(storage.Released), "CANCEL", ""}, told[len(told)-1])
	}
}

// A block settles what a dead replica has left, and is no part of its saga.
// A confirm that was held up between any two of its steps, until its time was over and
// the name blocked, comes to nothing; one that was decided is done.
// Blocked rows outlive their end, and go when they are unblocked.
func TestBlockedRowsAreNotSwept(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s := open(t, o)
	m, err := join(t.Context(), s)
	require.NoError(t, err)
	_, err = s.Rename(t.Context(), m.change(), freshName())
	require.NoError(t, err)
	reserved, protected := reserveFresh(t, s).Candidates[0], m.name
	_, err = s.Redirect(t.Context(), protected)
	require.NoError(t, err)
	execute(t, o.Databases[0], `UPDATE holdings SET expire_at = now() - interval '1 hour' WHERE state <> 2`)
	for _, id := range []identifier.Identifier{reserved, protected} {
		block(t, s, id)
	}
	require.Zero(t, sweepOnce(t, s))
	require.Equal(t, 3, countHoldings(t, o.Databases[0]))
	require.Empty(t, verify(t, s).Faults)
	_, err = s.Redirect(t.Context(), protected)
	require.ErrorIs(t, err, storage.ErrNotFound)
	for _, id := range []identifier.Identifier{reserved, protected} {
		require.Nil(t, unblock(t, s, id).Held)
	}
	require.Equal(t, postgres.Swept{Expired: 2}, sweepOnce(t, s))
}

// A name that runs out again and again is swept and blocked at once: it ends blocked,
// and a copy that follows the feed ends as the table.
// An old route map, a lost answer or a frozen vshard never has a block told that is not there.
// A replica died between the win of a name and the record of its request: the resend
// does not get what is blocked by then, as nobody was ever told that it had it.
