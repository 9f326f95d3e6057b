package member_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member"
)

func TestSendAllReachesEveryReplica(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := startMany(t, newNetwork(t), 4)
		sent := time.Now()
		require.NoError(t, all[0].SendAll(9, []byte("hint")))
		for _, r := range all[1:] {
			eventually(t, time.Second, func() bool { return r.sent.times()["hint"] == 1 })
			require.EqualValues(t, 9, r.sent.list[0].Kind)
		}
		require.Less(t, time.Since(sent), time.Second)
		require.Empty(t, all[0].sent.times())
		require.EqualValues(t, 3, all[0].Stats().Sent.Direct)
	})
}

func TestDatagramsThatTheNetworkRefusesAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		a, broken := start(t, network, "a", nil), network.Transport()
		b := start(t, network, "b", func(o *member.Options) {
			joining(a)(o)
			o.Transport = broken
		})
		b.sees(t, time.Second, 2)
		require.NoError(t, broken.Shutdown())
		require.NoError(t, b.SendAll(1, nil))
		require.Equal(t, member.Dropped{Failed: 1}, b.Stats().Dropped)
		require.Zero(t, b.Stats().Sent.Direct)
	})
}

func TestSendAllHasALimitOfReplicas(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := start(t, newNetwork(t), "a", nil)
		own := a.View().Members[0]
		for i := range member.MaxPeers {
			a.NotifyJoin(member.Someone(i, own))
		}
		require.NoError(t, a.SendAll(1, nil))
		a.NotifyJoin(member.Someone(member.MaxPeers, own))
		require.ErrorIs(t, a.SendAll(1, nil), member.ErrTooMany)
		require.EqualValues(t, member.MaxPeers, a.Stats().Sent.Direct)
	})
}

// The handler does not come back: what has no room is dropped and counted, and the
// membership goes on.
func TestASlowHandlerBlocksNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		a := start(t, network, "a", nil)
		release := make(chan struct{})
		slow := start(t, network, "b", func(o *member.Options) {
			joining(a)(o)
			o.Sent = func(context.Context, member.Message) { <-release }
		})
		slow.sees(t, time.Second, 2)
		const surplus = 100
		for i := range member.MaxSent + 1 + surplus {
			require.NoError(t, a.SendAll(1, text(i)))
			synctest.Wait()
			if i%100 == 0 {
				pass(time.Millisecond) // timers of the network
			}
		}
		pass(time.Minute)
		require.EqualValues(t, surplus, slow.Stats().Dropped.Waiting.Direct)
		require.EqualValues(t, member.MaxSent+1, slow.Stats().Received.Direct)
		require.NoError(t, a.Broadcast(member.Urgent, 1, "", []byte("news")))
		eventually(t, 5*time.Second, func() bool { return slow.gossiped.times()["news"] == 1 })
		require.Len(t, a.View().Members, 2)
		close(release)
	})
}

func TestDigestsAreExchanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		a := start(t, network, "a", nil)
		tooLarge := start(t, network, "b", func(o *member.Options) {
			joining(a)(o)
			o.Digest = func() []byte { return make([]byte, member.MaxDigest+1) }
		})
		largest := start(t, network, "c", func(o *member.Options) {
			joining(a)(o)
			o.Digest = func() []byte { return make([]byte, member.MaxDigest) }
		})
		pass(5 * time.Minute)
		for _, r := range []*replica{tooLarge, largest} {
			require.Greater(t, r.digests.times()["all of a"], 1)
		}
		require.NotZero(t, tooLarge.Stats().Refused.TooLarge)
		require.Zero(t, tooLarge.Stats().Sent.Digest)
		require.NotZero(t, largest.Stats().Sent.Digest)
		require.Len(t, a.digests.times(), 1)
		require.Equal(t, member.Origin{Replica: "c", Boot: 1}, a.digests.list[0].Origin)
		require.Len(t, a.digests.list[0].Payload, member.MaxDigest)
	})
}
