package shard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/shard"
)

func TestOnlyTheOwnerVouches(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.poll(dbA, 10, 0)
	f.is(shard.Unknown, 10)
	f.poll(dbA, 10, 1) // given up by the mover
	f.is(shard.Free, 10)
}

// While the new owner is known already, the old one's last time still counts: it owned
// the shard then.
func TestTheOldTimeOutlivesTheMove(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	before := f.clock()
	f.poll(dbB, 10, 2)
	standing, asOf := f.view.Check(0, named(10))
	require.Equal(t, shard.Free, standing)
	require.Equal(t, before, asOf)
	f.poll(dbA, 10, 0)
	f.is(shard.Unknown, 10)
}

// move is a move from A to B as the replica sees it, with the tail of A.
func (f *fixture) move(tail ...shard.Event) {
	f.poll(dbB, 11, 2)
	f.poll(dbA, 11, 0, tail...)
	f.poll(dbC, 11, 0)
	f.poll(dbB, 11, 2)
}

func TestTheTailOfTheFormerOwnerIsReadFirst(t *testing.T) {
	t.Parallel()
	f := atHome(t) // name 10 comes in A, which is not read
	f.pass(bound)
	f.poll(dbB, 11, 2)
	f.poll(dbB, 11, 2)
	f.poll(dbC, 11, 0)
	f.poll(dbB, 11, 2)
	f.is(shard.Unknown, 10)
	f.poll(dbA, 11, 0, came(10, 1))
	f.poll(dbB, 11, 2)
	f.is(shard.Maybe, 10)
	f.is(shard.Free, 11)
	require.Equal(t, uint64(2), f.image().Epoch)
}

// There and back between two polls: A owns the shard whenever it is asked.
func TestAStayThatNoPollSawIsRead(t *testing.T) {
	t.Parallel()
	f := atHome(t) // name 10 comes in B, at epoch 2
	f.poll(dbA, 11, 3)
	f.is(shard.Unknown, 10)
	f.poll(dbA, 12, 3)
	f.poll(dbC, 10, 0)
	f.poll(dbA, 13, 3)
	f.is(shard.Unknown, 10)
	f.poll(dbB, 11, 0, came(10, 2))
	f.poll(dbA, 13, 3)
	f.is(shard.Maybe, 10)
	f.is(shard.Free, 11)
}

// Reading once is not for ever: the next move has a tail of its own.
func TestEachMoveReadsAllAgain(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.move()
	f.is(shard.Free, 10) // which comes in B then
	f.poll(dbC, 11, 3)
	f.pass(bound)
	f.poll(dbA, 11, 0)
	f.poll(dbC, 11, 3)
	f.is(shard.Unknown, 10)
	f.poll(dbB, 12, 0, came(10, 2))
	f.poll(dbC, 11, 3)
	f.is(shard.Maybe, 10)
}

// The answer of a poll that was sent before may lack the tail.
func TestPollsThatWereSentBeforeTheEpochWasSeenDoNotCount(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	late := f.send(dbA, 11, 0)
	f.poll(dbB, 11, 2)
	f.poll(dbC, 11, 0)
	require.NoError(t, f.core.Polled(dbA, late))
	f.poll(dbB, 11, 2)
	f.is(shard.Unknown, 10)
	f.poll(dbA, 12, 0, came(10, 1))
	f.poll(dbB, 11, 2)
	f.is(shard.Maybe, 10)
}

func TestARemovalUndoesNoAddOfALaterEpoch(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.poll(dbA, 11, 1, came(10, 1), came(11, 1))
	f.poll(dbB, 11, 2, came(10, 2)) // it went in A, and came in B
	f.poll(dbA, 12, 0, went(10, 1), went(11, 1))
	f.poll(dbC, 11, 0)
	f.poll(dbB, 12, 2)
	f.is(shard.Maybe, 10)
	f.is(shard.Free, 11)
}

// A poll that was sent before the move comes late, and says that A owns the shard. The image
// is of the new epoch for all that, and B's time counts.
func TestALateOwnerDoesNotVouchAgain(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	late := f.send(dbA, 11, 1)
	f.poll(dbB, 11, 2)
	f.install(f.built(2, 1, dbB, 11))
	f.poll(dbB, 11, 2)
	sent := f.clock()
	require.NoError(t, f.core.Polled(dbA, late))
	standing, asOf := f.view.Check(0, named(10))
	require.Equal(t, shard.Free, standing)
	require.Equal(t, sent, asOf)
	f.poll(dbB, 12, 2)
	f.is(shard.Free, 10)
}

// A is not read, so it seems to have the shard at its epoch still. A newer base of that time
// does not replace an image that has the tails of all, as these would be waited for.
func TestANewerBaseOfAnEarlierEpoch(t *testing.T) {
	t.Parallel()
	f, peer := atHome(t), atHome(t)
	peer.move(came(10, 1))
	f.poll(dbB, 11, 2)
	f.install(peer.image())
	f.poll(dbB, 11, 2)
	f.is(shard.Maybe, 10)
	require.ErrorIs(t, f.core.Install(0, f.built(1, 2, dbA, 11)), shard.ErrForeign)
	f.poll(dbB, 11, 2)
	f.is(shard.Free, 11)
}
