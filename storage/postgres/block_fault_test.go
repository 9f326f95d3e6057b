package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/postgres"
)

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
		if !w.stop.made() {
			require.Greater(t, n, 4, late.err)
			return
		}
	}
}

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
