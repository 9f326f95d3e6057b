package bloomnet_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/shard"
)

// round is longer than it takes to compare all shards once.
const round = 2 * verifyEvery

func TestShardsAreComparedWithTheirTables(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDatabase("a")
		d.put(false, "ada")
		n := start(t, d)
		pass(settled)
		built := n.Stats().Built.Load()
		pass(round)
		require.GreaterOrEqual(t, n.Stats().Verified.Load(), uint64(shards))
		require.Zero(t, n.Stats().Missed.Load())
		require.Greater(t, n.Stats().Built.Load(), built, "what was copied makes new bases")
	})
}

// A name in the table of which the feed did not tell would be called free. It is counted,
// and is there from then on.
func TestWhatTheFilterMissedIsCountedAndMended(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDatabase("a")
		n := start(t, d)
		pass(settled)
		d.plant("ada")
		require.Equal(t, shard.Free, standing(n, "ada"))
		pass(round)
		require.EqualValues(t, 1, n.Stats().Missed.Load())
		require.Equal(t, shard.Maybe, standing(n, "ada"))
	})
}
