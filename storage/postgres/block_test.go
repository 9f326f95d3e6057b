package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

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
func TestABlockAfterADeadConfirm(t *testing.T) {
	t.Parallel()
	for name, decided := range map[string]bool{"undecided": false, "decided": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := leaveDead(t, decided)
			if decided {
				require.Equal(t, storage.Active, block(t, d.store, d.name).Held.State)
				require.Zero(t, d.intents(t))
				held, err := d.store.Account(t.Context(), d.change.Owner)
				require.NoError(t, err)
				require.Len(t, held, 1)
				return
			}
			_, err := d.store.Block(limited(t), order(d.name))
			var busy *storage.OverloadedError
			require.ErrorAs(t, err, &busy, "its replica may live, and confirm")
			require.Positive(t, busy.RetryAfter)
			d.pass(t, time.Minute)
			require.Equal(t, storage.Reserved, block(t, d.store, d.name).Held.State)
			require.Zero(t, d.intents(t))
			_, err = d.store.Confirm(limited(t), d.change, d.reserved.Request)
			require.ErrorAs(t, err, new(*storage.HeldError))
			unblock(t, d.store, d.name)
		})
	}
}

// A confirm that was held up between any two of its steps, until its time was over and
// the name blocked, comes to nothing; one that was decided is done.
func TestAConfirmThatIsHeldUpMeetsABlock(t *testing.T) {
	t.Parallel()
	b := newBases(t, 2)
	for n := 1; ; n++ {
		w := b.world(t)
		req, owner := requestIn(0, nameIn(0)), accountIn(1)
		_, err := w.other.Reserve(t.Context(), req)
		require.NoError(t, err)
		confirm := func(ctx context.Context, s *postgres.Store) (any, error) {
			return s.Confirm(ctx, userChange(owner), req.Request)
		}
		answered := w.begin(t, n, confirm)
		stopped := w.stop.stopped.Load()
		w.age(t)
		state := block(t, w.other, req.Candidates[0]).Held.State
		w.stop.goOn()
		late := <-answered
		w.executor.Close()
		w.age(t)
		w.settle(t, []string{owner})
		want := standing{storage.Reserved, "", req.Candidates[0].Display()}
		if state == storage.Active {
			want.state, want.owner = storage.Active, owner
			require.NoError(t, late.err)
		} else {
			require.Error(t, late.err)
		}
		require.Equal(t, want, w.standing(t, req.Candidates[0]), "after write %d", n)
		w.requireConsistent(t)
		if !stopped {
			require.Greater(t, n, 4)
			return
		}
	}
}

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
func TestABlockDuringASweep(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s, other := open(t, o), open(t, o)
	reader := s.Feeds(time.Now)[0]
	m, err := copied(t.Context(), reader, allVshards()...)
	require.NoError(t, err)
	for range 60 {
		id := freshName()
		req := request(id)
		req.TTL = time.Microsecond
		_, err := s.Reserve(t.Context(), req)
		require.NoError(t, err)
		var both sync.WaitGroup
		both.Go(func() { _, err = postgres.SweepOnce(t.Context(), other, retention) })
		got := block(t, s, id)
		both.Wait()
		require.NoError(t, err)
		require.True(t, got.Held.Blocked)
		require.Equal(t, 1, queryOne[int](t, o.Databases[0], `SELECT count(*) FROM holdings WHERE key = $1 AND blocked`, id.Key()))
		require.NoError(t, m.poll(t.Context(), reader))
		m.requireTable(t, o.Databases[0])
		unblock(t, other, id)
		sweepOnce(t, s)
	}
	require.NoError(t, m.poll(t.Context(), reader))
	m.requireTable(t, o.Databases[0])
	require.Empty(t, m.rows)
}

// An old route map, a lost answer or a frozen vshard never has a block told that is not there.
func TestBlocksObeyTheFence(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	s := open(t, o)
	id := nameIn(0)
	execute(t, o.Databases[0], `UPDATE vshards SET state = 'FROZEN', frozen_until = now() + interval '1 hour'`)
	_, err := s.Block(limited(t), order(id))
	requireUnavailable(t, err)
	_, err = s.Unblock(limited(t), order(id))
	requireUnavailable(t, err)
	require.Zero(t, countHoldings(t, o.Databases[0]))

	execute(t, o.Databases[0], `UPDATE vshards SET state = 'MOVED', frozen_until = NULL`)
	execute(t, o.Databases[1], `INSERT INTO vshards (vshard, state, epoch, move_id) SELECT v, 'OWNED', 2, gen_random_uuid() FROM generate_series(0, 511) v`)
	require.Equal(t, int64(2), block(t, s, id).Version.Epoch)
	require.Zero(t, countHoldings(t, o.Databases[0]))
	require.Equal(t, 1, countHoldings(t, o.Databases[1]))
}

func TestABlockWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	own, o := ownServer(t)
	s := open(t, o)
	require.NoError(t, own.Kill())
	_, err := s.Block(limited(t), order(nameIn(1)))
	requireUnavailable(t, err)
	block(t, s, nameIn(0))
}

// A replica died between the win of a name and the record of its request: the resend
// does not get what is blocked by then, as nobody was ever told that it had it.
func TestAResendOfWhatWasNeverAnsweredMeetsABlock(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	s := open(t, o)
	for _, req := range []storage.ReserveRequest{requestIn(0, nameIn(0)), requestIn(1, nameIn(0))} {
		_, err := s.Reserve(t.Context(), req)
		require.NoError(t, err)
		for _, d := range o.Databases {
			execute(t, d, `DELETE FROM requests`)
		}
		block(t, s, req.Candidates[0])
		_, err = s.Reserve(t.Context(), req)
		var held *storage.HeldError
		require.ErrorAs(t, err, &held)
		require.True(t, held.Holding.Blocked)
		unblock(t, s, req.Candidates[0])
		won, err := s.Reserve(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, held.Holding.Grant, won.Holding.Grant)
	}
}
