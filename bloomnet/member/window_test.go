package member_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member"
)

var origin = member.Origin{Replica: "a", Boot: 1}

const gossip = byte(member.Normal)

// As a set would tell, except that what is older than the window counts as seen.
func TestWindowAgainstASet(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	first, seen, newest := member.NewHistory(), map[uint64]bool{}, uint64(0)
	for range 50_000 {
		n := max(1, newest+uint64(random.IntN(12))-uint64(random.IntN(10)))
		if random.IntN(1000) == 0 {
			n += uint64(random.IntN(3 * member.WindowSize))
		}
		if random.IntN(100) == 0 {
			n = max(1, newest-min(newest, uint64(random.IntN(2*member.WindowSize))))
		}
		old := n+member.WindowSize <= newest
		require.Equal(t, !seen[n] && !old, first(origin, gossip, n), "%d of %d", n, newest)
		seen[n], newest = true, max(newest, n)
	}
}

func TestSequencesAreApart(t *testing.T) {
	t.Parallel()
	first := member.NewHistory()
	require.True(t, first(origin, gossip, 1))
	require.False(t, first(origin, byte(member.Urgent), 1), "one sequence for all classes")
	require.True(t, first(origin, byte(member.PlaneDirect), 1))
	require.True(t, first(origin, byte(member.PlaneDigest), 1))
	require.True(t, first(member.Origin{Replica: "a", Boot: 2}, gossip, 1))
	require.True(t, first(member.Origin{Replica: "b", Boot: 1}, gossip, 1))
}

func TestOnlySomeOriginsAreRemembered(t *testing.T) {
	t.Parallel()
	first := member.NewHistory()
	require.True(t, first(origin, gossip, 1))
	strangers := func(from, n uint64) {
		for boot := range n {
			require.True(t, first(member.Origin{Replica: "z", Boot: from + boot}, gossip, 1))
		}
	}
	strangers(0, member.MaxOrigins)
	require.False(t, first(origin, gossip, 1), "in the old generation")
	strangers(10_000, member.MaxOrigins)
	require.False(t, first(origin, gossip, 1), "as it has been heard of since")
	strangers(20_000, 2*member.MaxOrigins)
	require.True(t, first(origin, gossip, 1))
}
