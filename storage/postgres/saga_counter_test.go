package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

// Each test here is a way in which a weaker protocol breaks. Sagas on two databases
// have these writes, of which an executor takes one after the other: begin, lay (one
// for each identifier to take), decide, carry (one for each act), clear.
const (
	afterBegin  = 1
	afterLay    = 2
	afterDecide = 3
	afterTake   = 4
	afterLeave  = 5
)

// confirmBroken is a confirm by a fresh account that stops after a write.
func confirmBroken(t *testing.T, w *world, after int) (owner string, req storage.ReserveRequest, answered <-chan result) {
	t.Helper()
	owner, req = accountIn(0), request(nameIn(1))
	_, err := w.other.Reserve(t.Context(), req)
	require.NoError(t, err)
	answered = w.begin(t, after, confirmOf(userChange(owner), req.Request))
	require.True(t, w.stop.stopped.Load())
	return owner, req, answered
}

func confirmOf(c storage.Change, reservation storage.RequestKey) call {
	return func(ctx context.Context, s *postgres.Store) (any, error) { return s.Confirm(ctx, c, reservation) }
}

// renameBroken is a rename of an account with a name that stops after a write.
func renameBroken(t *testing.T, w *world, after int) (owner string, from, to identifier.Identifier, answered <-chan result) {
	t.Helper()
	owner, from, to = accountIn(0), nameIn(1), nameIn(1)
	w.give(t, owner, from)
	answered = w.begin(t, after, renameTo(to)(userChange(owner)))
	require.True(t, w.stop.stopped.Load())
	return owner, from, to, answered
}

// wake lets the executor go on, and gives its answer when its last step is done.
func (w *world) wake(answered <-chan result) result {
	w.stop.goOn()
	r := <-answered
	w.executor.Close()
	return r
}

// requireOwns says who has a name, by its row and by the account.
func (w *world) requireOwns(t *testing.T, owner string, id identifier.Identifier) {
	t.Helper()
	require.Equal(t, owns(storage.Active, owner, id), w.standing(t, id))
	require.Equal(t, map[identifier.Identifier]bool{identifier.Stored(id.Kind(), id.Key(), "", ""): true}, w.has(t, owner))
}

// A second confirm of a reservation must not replace the intent of one that is
// under way, although its token is as good.
func TestOneReservationIsConfirmedOnce(t *testing.T) {
	t.Parallel()
	b := newBases(t, 2)
	for _, after := range []int{afterLay, afterDecide} {
		w := b.world(t)
		first, req, answered := confirmBroken(t, w, after)
		second := accountIn(1)
		_, err := w.other.Confirm(limited(t), userChange(second), req.Request)
		require.Error(t, err, "the other's intent stands")
		require.Empty(t, w.has(t, second))
		require.NoError(t, w.wake(answered).err)
		w.requireOwns(t, first, req.Candidates[0])
		_, err = w.other.Confirm(limited(t), userChange(second), req.Request)
		require.ErrorAs(t, err, new(*storage.HeldError))
		w.requireConsistent(t)
	}
}

// Of two renames of an account that were both ready to be decided one is, and the
// other sees what has become of the account before it tries again.
func TestRenamesOfOneAccountFollowOneAnother(t *testing.T) {
	t.Parallel()
	b := newBases(t, 2)
	for _, after := range []int{afterLay, afterDecide, afterTake, afterLeave} {
		w := b.world(t)
		owner, from, first, answered := renameBroken(t, w, after)
		second := nameIn(1)
		w.rename(t, owner, second)
		late := w.wake(answered)
		require.NoError(t, late.err)
		left := []identifier.Identifier{from, second}
		now := first // decided once more, after the second one
		if after != afterLay {
			left, now = []identifier.Identifier{from, first}, second
		}
		w.settle(t, []string{owner}, from, first, second)
		w.requireOwns(t, owner, now)
		for _, id := range left {
			require.Equal(t, owns(storage.Protected, owner, id), w.standing(t, id))
		}
		w.requireConsistent(t)
	}
}

// The account that an attempt was based on has gone on: what it wanted to leave is
// another name by now.
func TestAnAttemptIsDecidedOnTheAccountAsItWasRead(t *testing.T) {
	t.Parallel()
	w := newBases(t, 2).world(t)
	owner, from, first, answered := renameBroken(t, w, afterLay)
	second := nameIn(0)
	w.rename(t, owner, second)
	w.rename(t, owner, from) // as it was, but for the version and the grant
	require.NoError(t, w.wake(answered).err)
	w.requireOwns(t, owner, first)
	w.settle(t, []string{owner}, from, first, second)
	require.Equal(t, owns(storage.Protected, owner, from), w.standing(t, from))
	require.Equal(t, owns(storage.Protected, owner, second), w.standing(t, second))
	w.requireConsistent(t)
}

// A rename was carried out by others while its executor slept, and the account has
// gone back. What the executor still does about the name it left must not touch its
// new tenure.
func TestLateStepsOfAnOldRename(t *testing.T) {
	t.Parallel()
	b := newBases(t, 2)
	for _, after := range []int{afterDecide, afterTake, afterLeave} {
		w := b.world(t)
		owner, from, to, answered := renameBroken(t, w, after)
		w.rename(t, owner, from) // finishes the one that sleeps, and takes the name back
		w.requireOwns(t, owner, from)
		require.NoError(t, w.wake(answered).err)
		w.requireOwns(t, owner, from)
		require.Equal(t, owns(storage.Protected, owner, to), w.standing(t, to))
		w.requireConsistent(t)
	}
}

// An attempt laid its intent late, when the request had been brought to its end by
// another replica: the intent has another grant than the one that was recorded.
func TestAnIntentWithAnotherGrantIsUndone(t *testing.T) {
	t.Parallel()
	w := newBases(t, 2).world(t)
	owner, from, to := accountIn(0), nameIn(0), nameIn(1)
	w.give(t, owner, from)
	c := userChange(owner)
	_, err := w.other.Rename(t.Context(), c, to)
	require.NoError(t, err)
	w.rename(t, owner, from)
	w.execute(t, `
		UPDATE holdings h SET intent_grant = gen_random_uuid(), intent_request = r.id, intent_vshard = r.vshard, intent_attempt = r.attempt, intent_until = now()
		FROM (SELECT $2::uuid AS id, $3::smallint AS vshard, $4::uuid AS attempt) r WHERE h.key = $1`,
		to.Key(), [16]byte(c.Request.ID), int16(c.Request.Vshard), w.attempt(t, c))
	w.settle(t, []string{owner}, to)
	w.requireOwns(t, owner, from)
	require.Equal(t, owns(storage.Protected, owner, to), w.standing(t, to))
	w.requireConsistent(t)
}

// attempt is that of a decided request.
func (w *world) attempt(t *testing.T, c storage.Change) [16]byte {
	t.Helper()
	rows := collect[struct{ Attempt [16]byte }](t, w.bases, `SELECT attempt FROM requests WHERE id = $1 AND state = 2`, [16]byte(c.Request.ID))
	require.Len(t, rows, 1)
	return rows[0].Attempt
}

// Without a record an attempt is given up: its executor must not decide it later,
// also when nobody remembers that it was given up.
func TestAForgottenAttemptIsNeverDecided(t *testing.T) {
	t.Parallel()
	b := newBases(t, 2)
	for _, after := range []int{afterBegin, afterLay} {
		w := b.world(t)
		owner, from, to, answered := renameBroken(t, w, after)
		w.execute(t, `DELETE FROM requests WHERE state = 1`)
		w.settle(t, nil, to)
		stranger := accountIn(1)
		w.give(t, stranger, to)
		require.ErrorAs(t, w.wake(answered).err, new(*storage.HeldError))
		w.requireOwns(t, owner, from)
		w.requireOwns(t, stranger, to)
		w.settle(t, []string{owner}, to)
		w.requireConsistent(t)
	}
}

// A stranger gave an attempt up. The same request may succeed with a new one, and the
// old one must not be decided under the record of the new one.
func TestARequestOutlivesItsAttempt(t *testing.T) {
	t.Parallel()
	w := newBases(t, 2).world(t)
	owner, from, to := accountIn(0), nameIn(0), nameIn(1)
	w.give(t, owner, from)
	send := renameTo(to)(userChange(owner))
	answered := w.begin(t, afterLay, send)
	w.settle(t, nil, to) // a stranger undoes the first attempt
	second := w.world(t)
	renewed := second.begin(t, afterBegin, send)
	require.True(t, second.stop.stopped.Load())
	late := w.wake(answered) // meets the record of the second one
	require.ErrorAs(t, late.err, new(*storage.OverloadedError))
	w.requireOwns(t, owner, from)
	first := second.wake(renewed)
	require.NoError(t, first.err)
	w.requireOwns(t, owner, to)
	again, err := send(limited(t), w.other)
	require.NoError(t, err)
	require.Equal(t, first.answer, again)
	w.requireConsistent(t)
}

// A cancel in the middle of a confirm meets its intent, and frees nothing that is
// decided to be an account's.
func TestACancelInTheMiddleOfAConfirm(t *testing.T) {
	t.Parallel()
	b := newBases(t, 2)
	for _, after := range []int{afterBegin, afterLay, afterDecide} {
		w := b.world(t)
		owner, req, answered := confirmBroken(t, w, after)
		w.age(t)
		_, cancelled := w.other.Cancel(limited(t), req.Request)
		late := w.wake(answered)
		w.settle(t, []string{owner}, req.Candidates[0])
		if after == afterDecide {
			require.ErrorIs(t, cancelled, storage.ErrNotFound)
			require.NoError(t, late.err)
			w.requireOwns(t, owner, req.Candidates[0])
		} else {
			require.NoError(t, cancelled)
			require.ErrorIs(t, late.err, storage.ErrNotFound)
			require.Zero(t, w.standing(t, req.Candidates[0]))
			require.Empty(t, w.has(t, owner))
		}
		w.requireConsistent(t)
	}
}

// A cancel while the saga is alive has nothing to free; it says so or asks to be sent again.
func TestALiveConfirmIsNotCancelled(t *testing.T) {
	t.Parallel()
	w := newBases(t, 2).world(t)
	owner, req, answered := confirmBroken(t, w, afterLay)
	_, err := w.other.Cancel(limited(t), req.Request)
	require.ErrorAs(t, err, new(*storage.OverloadedError))
	if late := w.wake(answered); late.err == nil {
		w.requireOwns(t, owner, req.Candidates[0])
	} else {
		require.ErrorIs(t, late.err, storage.ErrNotFound)
	}
	w.settle(t, []string{owner}, req.Candidates[0])
	w.requireConsistent(t)
}

// Several sagas have each counted the account's names before another was decided.
func TestTheLimitUnderConcurrency(t *testing.T) {
	t.Parallel()
	const callers = 4
	b := newBases(t, 2)
	owner := accountIn(0)
	worlds, answered := make([]*world, callers), make([]<-chan result, callers)
	for i := range callers {
		worlds[i] = b.world(t)
		req := request(nameIn(1))
		_, err := b.other.Reserve(t.Context(), req)
		require.NoError(t, err)
		answered[i] = worlds[i].begin(t, afterLay, confirmOf(userChange(owner), req.Request))
		require.True(t, worlds[i].stop.stopped.Load(), "all are ready to be decided")
	}
	results := make([]result, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { results[i] = worlds[i].wake(answered[i]) })
	}
	all.Wait()
	won := 0
	for _, r := range results {
		if r.err == nil {
			won++
		} else if !errors.As(r.err, new(*storage.OverloadedError)) {
			require.ErrorAs(t, r.err, new(*storage.LimitError))
		}
	}
	require.Equal(t, 1, won)
	require.Len(t, worlds[0].has(t, owner), 1)
	b.requireConsistent(t)
}

// Taking a protected name back and giving that up leaves the name as it was: protected
// for its owner, until the same time.
func TestATakeBackThatIsGivenUpLeavesTheNameProtected(t *testing.T) {
	t.Parallel()
	b := newBases(t, 2)
	for _, after := range []int{afterBegin, afterLay} {
		w := b.world(t)
		owner, former, now := accountIn(0), nameIn(1), nameIn(0)
		w.give(t, owner, former)
		w.rename(t, owner, now)
		before, err := w.other.Lookup(t.Context(), former)
		require.NoError(t, err)
		w.begin(t, after, renameTo(former)(userChange(owner)))
		w.age(t)
		_, err = w.other.Reserve(limited(t), request(former)) // a stranger gives it up
		require.ErrorAs(t, err, new(*storage.HeldError))
		left, err := w.other.Lookup(t.Context(), former)
		require.NoError(t, err)
		require.Equal(t, before.Held, left.Held)
		w.requireOwns(t, owner, now)
		w.requireConsistent(t)
	}
}

// A name that ran out while a decided saga has its intent there is nobody's to take.
func TestWhatRanOutUnderAnIntentIsSettledFirst(t *testing.T) {
	t.Parallel()
	w := newBases(t, 2).world(t)
	owner, req, answered := confirmBroken(t, w, afterDecide)
	w.execute(t, `UPDATE holdings SET expire_at = now() WHERE intent_grant IS NOT NULL`)
	_, err := w.other.Reserve(limited(t), request(req.Candidates[0]))
	require.ErrorAs(t, err, new(*storage.HeldError))
	w.age(t)
	_, err = w.other.Reserve(limited(t), request(req.Candidates[0]))
	require.ErrorAs(t, err, new(*storage.HeldError))
	w.requireOwns(t, owner, req.Candidates[0])
	require.NoError(t, w.wake(answered).err)
	w.settle(t, []string{owner}, req.Candidates[0])
	w.requireConsistent(t)
}

// A name stood open when a confirm looked, and got the intent of another saga before
// the confirm could lay its own. What is in the way is that saga, which is settled, and
// not the name as it was: the confirm would be refused for its own reservation.
func TestWhatStoodOpenIsNotInTheWay(t *testing.T) {
	t.Parallel()
	w := newBases(t, 2).world(t)
	owner, req := accountIn(0), request(nameIn(1))
	_, err := w.other.Reserve(t.Context(), req)
	require.NoError(t, err)
	another, err := connect(t, w.o.Databases[1]).Begin(t.Context())
	require.NoError(t, err)
	_, err = another.Exec(t.Context(), `
		UPDATE holdings SET intent_grant = gen_random_uuid(), intent_request = gen_random_uuid(), intent_vshard = 0,
			intent_attempt = gen_random_uuid(), intent_until = now() WHERE key = $1`, req.Candidates[0].Key())
	require.NoError(t, err)
	answered := make(chan error, 1)
	go func() {
		_, err := w.other.Confirm(t.Context(), userChange(owner), req.Request)
		answered <- err
	}()
	w.awaitLock(t)
	require.NoError(t, another.Commit(t.Context()))
	require.NoError(t, <-answered)
	w.requireOwns(t, owner, req.Candidates[0])
	w.requireConsistent(t)
}

// What an account's own rename, broken off, has laid beside a free name does not make
// it a name that the account may take back.
func TestAnIntentMakesNoNameOnesOwn(t *testing.T) {
	t.Parallel()
	w := newBases(t, 2).world(t)
	owner, from, to, answered := renameBroken(t, w, afterLay)
	_, err := w.other.Release(t.Context(), userChange(owner), from)
	require.NoError(t, err)
	_, err = w.other.Rename(limited(t), userChange(owner), to)
	require.ErrorIs(t, err, storage.ErrNotOwner)
	require.ErrorIs(t, w.wake(answered).err, storage.ErrNotOwner)
	w.settle(t, []string{owner}, from, to)
	require.Empty(t, w.has(t, owner))
	require.Zero(t, w.standing(t, to))
	w.requireConsistent(t)
}
