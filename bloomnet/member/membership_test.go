package member_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member"
)

func TestMembersKnowEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := startMany(t, newNetwork(t), 3)
		require.NoError(t, all[2].SetState(member.Ready))
		eventually(t, 5*time.Second, func() bool {
			c, _ := all[1].find("c")
			return c.State == member.Ready
		})
		c, _ := all[1].find("c")
		require.Equal(t, member.Member{
			Origin:  member.Origin{Replica: "c", Boot: 1},
			Version: 1, Fingerprint: fingerprint, State: member.Ready,
			Gossip: all[2].Address(), Transfer: c.Transfer,
		}, c)
		require.Equal(t, "10.1.0.1:7947", c.Transfer.String())
		b, _ := all[1].find("b")
		require.Equal(t, member.Joining, b.State, "of itself")
		require.Empty(t, all[1].View().Departed)
	})
}

func TestJoinedIsKnownWhetherOthersAreThereOrNot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		a := start(t, network, "a", nil)
		<-a.Joined()
		b := start(t, network, "b", joining(a))
		<-b.Joined()
		require.Len(t, b.View().Members, 2)
		require.EqualValues(t, 1, b.Stats().Joins.Done)

		nobody := func(o *member.Options) { o.Join = []string{"10.0.0.99:7946"} }
		c := start(t, network, "c", nobody)
		began := time.Now()
		<-c.Joined()
		require.Less(t, time.Since(began), 6*time.Second)
		require.Len(t, c.View().Members, 1)
		pass(time.Minute)
		require.Equal(t, 1, c.log.Count("no other replica can be reached"))
	})
}

func TestOnlyStrangersAreJoined(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		a := start(t, network, "a", func(o *member.Options) { o.Join = []string{"10.0.0.1:7946"} })
		b := start(t, network, "b", joining(a))
		pass(5 * time.Minute)
		require.Zero(t, a.Stats().Joins, "its own address")
		require.Equal(t, member.Joins{Done: 1}, b.Stats().Joins, "a member")
		require.NoError(t, b.Leave(t.Context()))
		pass(5 * time.Minute)
		require.Zero(t, a.Stats().Joins, "one that left")
	})
}

func TestChangedIsSignalled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		a := start(t, network, "a", nil)
		<-a.Changed() // its own coming
		b := start(t, network, "b", joining(a))
		<-a.Changed()
		require.Len(t, a.View().Members, 2)
		require.NoError(t, b.Close())
		<-a.Changed()
		require.Len(t, a.View().Members, 1)
	})
}

func TestLeavingIsToldApartFromACrash(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := startMany(t, newNetwork(t), 4)
		left := time.Now()
		require.NoError(t, all[1].Leave(t.Context()))
		require.Less(t, time.Since(left), 5*time.Second)
		require.Greater(t, time.Since(left), 2*time.Second, "for each piece of news to spread")
		for _, r := range all[2:] {
			r.sees(t, time.Second, 3)
			require.True(t, r.View().Departed[0].Left())
			require.Equal(t, "b", r.View().Departed[0].Replica)
		}
		crashed := time.Now()
		require.NoError(t, all[2].Close())
		all[3].sees(t, 30*time.Second, 2)
		gone := all[3].View().Departed[1]
		require.Equal(t, "c", gone.Replica)
		require.False(t, gone.Left())
		require.WithinDuration(t, crashed, gone.At, 30*time.Second)
	})
}

func TestLeaveAloneAndAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := start(t, newNetwork(t), "a", nil)
		began := time.Now()
		require.NoError(t, a.Leave(t.Context()))
		require.Less(t, time.Since(began), time.Second, "there is nobody to tell")
		require.ErrorIs(t, a.Leave(t.Context()), member.ErrClosed)
		require.ErrorIs(t, a.SetState(member.Ready), member.ErrClosed)
		require.NoError(t, a.Close())
	})
}

func TestDrainingIsSeenBeforeLeaving(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := startMany(t, newNetwork(t), 3)
		require.NoError(t, all[0].SetState(member.Draining))
		eventually(t, 5*time.Second, func() bool {
			a, _ := all[2].find("a")
			return a.State == member.Draining
		})
		require.Error(t, all[0].SetState(0))
	})
}

func TestTheNewestStartOfAReplicaCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		all := startMany(t, network, 3)
		require.NoError(t, all[2].Close())
		again := start(t, network, "c", func(o *member.Options) {
			o.Boot = 2
			joining(all[0])(o)
		})
		eventually(t, time.Second, func() bool {
			c, _ := all[1].find("c")
			return c.Boot == 2 && len(all[1].View().Members) == 3
		})
		// The first start is found dead meanwhile.
		for range 60 {
			pass(time.Second)
			require.Len(t, all[1].View().Members, 3)
			require.Empty(t, all[1].View().Departed)
		}
		c, _ := all[1].find("c")
		require.Equal(t, again.Address(), c.Gossip)
		require.Zero(t, again.log.Count("another replica runs under this one's id"))
	})
}

func TestOfManyStartsTheNewestCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := start(t, newNetwork(t), "a", nil)
		starts := member.Someone(1, a.View().Members[0])
		for boot := range uint64(20) {
			starts.Boot = boot * 7 % 20 // in no order
			a.NotifyJoin(starts)
		}
		require.Len(t, a.View().Members, 2)
		require.EqualValues(t, 19, a.View().Members[1].Boot)
	})
}

func TestATwinIsLoggedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		a := start(t, network, "a", nil)
		twin := start(t, network, "a", func(o *member.Options) {
			o.Boot = 7
			joining(a)(o)
		})
		eventually(t, time.Second, func() bool {
			return a.log.Count("another replica runs under this one's id") == 1
		})
		require.NoError(t, a.SetState(member.Ready))
		require.NoError(t, twin.SetState(member.Ready))
		require.Zero(t, twin.log.Count("another replica runs under this one's id"), "it may be its own last start")
		pass(2 * time.Minute)
		for _, r := range []*replica{a, twin} {
			require.Equal(t, 1, r.log.Count("another replica runs under this one's id"))
		}
	})
}
