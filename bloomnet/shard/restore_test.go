package shard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

func namesOf(list ...int) (hashes []bloom.Hash) {
	for _, i := range list {
		hashes = append(hashes, named(i))
	}
	return hashes
}

// restored is a new process, from a file of another.
func (f *fixture) restored(without ...int) *fixture {
	f.t.Helper()
	positions := f.core.Positions()
	for _, db := range without {
		positions[db] = shard.Position{}
	}
	next := empty(f.t)
	next.core.Restore(positions, map[int]shard.Image{0: f.image()})
	return next
}

// A file of a time when another database had this one's number, or name: the image is of the
// epoch, and of a stay elsewhere.
func TestAnImageIsNotVouchedForByAnotherDatabaseOfItsEpoch(t *testing.T) {
	t.Parallel()
	f := empty(t)
	f.core.Restore([]shard.Position{f.at(dbA, 10), f.at(dbB, 10), f.at(dbC, 10)}, map[int]shard.Image{0: f.built(1, 1, dbA, 10)})
	f.poll(dbB, 10, 1)
	f.is(shard.Unknown, 10)
	require.True(t, f.missing(dbB))
	f.begin(dbA, 20)
	f.install(f.built(1, 2, dbB, 10, 10))
	f.poll(dbB, 10, 1)
	f.is(shard.Maybe, 10)
	f.is(shard.Free, 11)
}

func TestNoTimeOutlivesAProcess(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.poll(dbA, 20, 1, came(10, 1), reserved(11, 1))
	next := f.restored()
	next.is(shard.Unknown, 12)
	next.poll(dbB, 10, 0)
	next.poll(dbC, 10, 0)
	next.is(shard.Unknown, 12)
	next.poll(dbA, 21, 1, went(11, 1))
	next.is(shard.Free, 12)
	next.is(shard.Maybe, 10)
	next.is(shard.Free, 11)
	next.is(shard.Maybe, 0)
	require.Equal(t, f.image().Head, next.image().Head)
}

// The positions of a file are from before its images: what lies between is told twice.
func TestWhatIsToldAgainDoesNoHarm(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	positions := f.core.Positions()
	f.poll(dbA, 12, 1, came(10, 1), came(11, 1))
	f.poll(dbA, 13, 1, went(10, 1))
	next := empty(t)
	next.core.Restore(positions, map[int]shard.Image{0: f.image()})
	next.poll(dbA, 12, 1, came(10, 1), came(11, 1))
	next.is(shard.Maybe, 10)
	next.poll(dbA, 14, 1, went(10, 1), reserved(12, 1))
	next.is(shard.Free, 10)
	next.is(shard.Maybe, 11)
	next.is(shard.Maybe, 12)
}

// While nobody ran, the shard went to a database that the file knows nothing of, and back.
func TestADatabaseThatIsNewAfterARestore(t *testing.T) {
	t.Parallel()
	next := atHome(t).restored(dbC)
	next.begin(dbC, 50) // after name 10 came there, at epoch 2
	next.poll(dbC, 50, 0)
	next.poll(dbA, 12, 3)
	next.poll(dbB, 10, 0)
	next.poll(dbC, 50, 0)
	next.poll(dbA, 12, 3)
	next.is(shard.Unknown, 10)
	require.True(t, next.missing(dbA))
}

// It costs no image of a shard that has stayed where it was.
func TestANewDatabaseForgetsNothing(t *testing.T) {
	t.Parallel()
	next := atHome(t).restored(dbC)
	next.begin(dbC, 50)
	next.poll(dbC, 50, 0)
	next.poll(dbB, 10, 0)
	next.poll(dbA, 12, 1)
	next.is(shard.Free, 10)
}

// A move while nobody ran is followed from the file on.
func TestAMoveSinceTheFile(t *testing.T) {
	t.Parallel()
	next := atHome(t).restored()
	next.move(came(10, 1))
	next.is(shard.Maybe, 10)
	next.is(shard.Free, 11)
}

// Without its database's position an image has a gap behind it.
func TestAnImageWithoutAPosition(t *testing.T) {
	t.Parallel()
	next := atHome(t).restored(dbA)
	next.begin(dbA, 20)
	next.poll(dbA, 20, 1)
	next.is(shard.Unknown, 10)
	require.True(t, next.missing(dbA))
}

func TestAVoidPositionOfAFile(t *testing.T) {
	t.Parallel()
	next := atHome(t).restored()
	next.begin(dbA, 20)
	next.poll(dbA, 20, 1)
	next.is(shard.Unknown, 10)
	require.True(t, next.missing(dbA))
}
