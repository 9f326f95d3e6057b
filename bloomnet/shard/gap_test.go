package shard_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/shard"
)

// A stay in a database whose reading began after it left no trace.
func TestAStayThatCannotBeReadWantsANewImage(t *testing.T) {
	t.Parallel()
	f := atHome(t) // goes to C, where name 10 comes, and back
	f.begin(dbC, 50)
	f.poll(dbA, 11, 3)
	f.poll(dbB, 10, 0)
	f.poll(dbC, 50, 0)
	f.poll(dbA, 11, 3)
	f.is(shard.Unknown, 10)
	require.True(t, f.missing(dbA))
	f.install(f.built(3, 2, dbA, 11, 10))
	f.poll(dbA, 12, 3)
	f.is(shard.Maybe, 10)
	f.is(shard.Free, 11)
}

// One that was at home after the reading began is missed by none.
func TestANewReadingCostsNoImageOfOthers(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.begin(dbC, 50)
	f.poll(dbA, 11, 1)
	f.poll(dbC, 51, 2, came(10, 2))
	f.poll(dbA, 12, 0)
	f.poll(dbB, 10, 0)
	f.poll(dbC, 51, 2)
	f.is(shard.Maybe, 10)
	f.is(shard.Free, 11)
}

// An image is at home as soon as it is installed.
func TestAMoveRightAfterAnImage(t *testing.T) {
	t.Parallel()
	f := empty(t)
	for db := range 3 {
		f.begin(db, 10)
	}
	f.poll(dbA, 10, 1)
	f.install(f.built(1, 1, dbA, 10))
	f.move()
	f.is(shard.Free, 10)
}

// A database that does not answer must not keep a shard of another one waiting for long.
func TestAnImageIsWantedWhenTailsCannotBeRead(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	peer := atHome(t)
	peer.move()
	f.poll(dbB, 11, 2)
	f.poll(dbA, 11, 0)
	require.Empty(t, f.core.Survey(dbB))
	f.pass(3 * time.Second)
	f.poll(dbB, 11, 2)
	require.True(t, f.missing(dbB))
	f.install(peer.image()) // of the same build
	f.poll(dbB, 11, 2)
	f.is(shard.Free, 10)
	require.Equal(t, peer.image().Head, f.core.Survey(dbB)[0].Head)
}

// What counts is when the shard was last seen at home, not when its image was taken: since
// then it went to C, where name 10 came, before C was read, and back.
func TestAnImageThatIsTakenAfterTheReadingBegan(t *testing.T) {
	t.Parallel()
	f := empty(t)
	for db := range 3 {
		f.begin(db, 10)
	}
	f.poll(dbA, 10, 1)
	f.begin(dbC, 50)
	f.pass(time.Second)
	f.install(f.built(1, 1, dbA, 10))
	f.poll(dbA, 11, 3)
	f.poll(dbB, 10, 0)
	f.poll(dbC, 50, 0)
	f.poll(dbA, 11, 3)
	f.is(shard.Unknown, 10)
	require.True(t, f.missing(dbA))
}
