package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
)

// Writes of a back end's saga on two databases: begin, point, lay, decide and so on.
const afterPoint = 2

// recordsOf counts the records of a request, in all databases.
func (b *bases) recordsOf(t *testing.T, c storage.Change) (n int) {
	t.Helper()
	for _, count := range collect[struct{ N int }](t, b, `SELECT count(*) FROM requests WHERE id = $1`, [16]byte(c.Request.ID)) {
		n += count.N
	}
	return n
}

// otherwise is the same request with other arguments.
func otherwise(c storage.Change) storage.Change {
	c.Arguments[0]++
	return c
}

// A refusal is not remembered: nothing of the request is left, and its id may be used
// for something else.
func TestARefusedChangeLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, databases := range []int{1, 2} {
		w := newBases(t, databases).world(t)
		owner, stranger, from, held := accountIn(0), accountIn(1), nameIn(1), nameIn(1)
		w.give(t, owner, from)
		w.give(t, stranger, held)
		for _, c := range []storage.Change{userChange(owner), serviceChange(1, owner), serviceChange(0, owner)} {
			_, err := w.other.Rename(t.Context(), c, held)
			require.ErrorAs(t, err, new(*storage.HeldError))
			require.Zero(t, w.recordsOf(t, c))
			_, err = w.other.Rename(t.Context(), otherwise(c), nameIn(0))
			require.NoError(t, err)
		}
		w.requireConsistent(t)
	}
}

// A change came to nothing, as its replica died. Its request may be sent again with
// other arguments; what the dead one wakes up to is a conflict.
func TestARequestOfADeadReplicaMayAskForSomethingElse(t *testing.T) {
	t.Parallel()
	b := newBases(t, 2)
	for _, after := range []int{afterBegin, afterPoint, afterPoint + 1} {
		w := b.world(t)
		owner, from, to, instead := accountIn(0), nameIn(1), nameIn(1), nameIn(1)
		w.give(t, owner, from)
		c := serviceChange(1, owner)
		answered := w.begin(t, after, renameTo(to)(c))
		require.True(t, w.stop.stopped.Load())
		if after > afterBegin {
			_, err := w.other.Rename(limited(t), otherwise(c), instead)
			require.ErrorIs(t, err, storage.ErrRequestConflict, "the first one may be under way")
		}
		w.age(t)
		w.settle(t, nil, to)
		_, err := w.other.Rename(limited(t), otherwise(c), instead)
		require.NoError(t, err)
		require.ErrorIs(t, w.wake(answered).err, storage.ErrRequestConflict)
		w.settle(t, []string{owner}, to, instead)
		w.requireOwns(t, owner, instead)
		w.requireConsistent(t)
	}
}

// A request was brought to its outcome by another replica. What the first one takes back
// when it wakes up must not be the record by which another account is refused.
func TestALateExecutorLeavesTheRecordOfItsRequest(t *testing.T) {
	t.Parallel()
	b := newBases(t, 2)
	for _, after := range []int{afterBegin, afterPoint, afterPoint + 1} {
		w := b.world(t)
		owner, from, to := accountIn(0), nameIn(1), nameIn(1)
		w.give(t, owner, from)
		c := serviceChange(1, owner)
		answered := w.begin(t, after, renameTo(to)(c))
		require.True(t, w.stop.stopped.Load())
		w.age(t)
		_, err := w.other.Rename(limited(t), c, to)
		require.NoError(t, err)
		bears := collect[struct{ Attempt [16]byte }](t, b, `SELECT attempt FROM requests WHERE id = $1 AND decided_in IS NOT NULL`, [16]byte(c.Request.ID))
		require.Equal(t, w.attempt(t, c), bears[0].Attempt, "whose it is, so that nobody takes it back for another")
		require.NoError(t, w.wake(answered).err)
		another := storage.Change{Request: c.Request, Arguments: [32]byte{1}, Owner: accountIn(1), Actor: c.Actor}
		_, err = w.other.Rename(t.Context(), another, nameIn(0))
		require.ErrorIs(t, err, storage.ErrRequestConflict)
		w.settle(t, []string{owner}, to)
		w.requireOwns(t, owner, to)
		w.requireConsistent(t)
	}
}

// A back end has used a request id for another account, in a transaction that commits
// when this one is on its way: it is refused, and nothing is changed.
func TestARequestForTwoAccountsAtOnce(t *testing.T) {
	t.Parallel()
	for _, databases := range []int{1, 2} {
		w := newBases(t, databases).world(t)
		owner, from, to := accountIn(0), nameIn(0), nameIn(databases-1)
		w.give(t, owner, from)
		c := serviceChange(0, owner)
		another, err := w.pools[0].Begin(t.Context())
		require.NoError(t, err)
		decidedIn := (storage.VshardOfOwner(owner) + 1) % (storage.Vshards / 2)
		_, err = another.Exec(t.Context(), `
			INSERT INTO requests (vshard, id, attempt, state, arguments, decided_in)
			VALUES ($1, $3, 'c0ffee00-0000-0000-0000-000000000000', 1, '\x02', $2), ($2, $3, 'c0ffee00-0000-0000-0000-000000000000', 2, '\x02', NULL)`,
			int16(c.Request.Vshard), int16(decidedIn), [16]byte(c.Request.ID))
		require.NoError(t, err)
		refused := make(chan error, 1)
		go func() {
			_, err := w.other.Rename(limited(t), c, to)
			refused <- err
		}()
		w.awaitLock(t)
		require.NoError(t, another.Commit(t.Context()))
		require.ErrorIs(t, <-refused, storage.ErrRequestConflict)
		w.requireOwns(t, owner, from)
		require.Zero(t, w.standing(t, to))
		w.requireConsistent(t)
	}
}
