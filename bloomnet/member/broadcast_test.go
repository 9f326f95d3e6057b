package member_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member"
	"namegate/bloomnet/member/membertest"
)

// Far more at once than packets hold, so that each message goes to some replicas only,
// which pass it on. A replica may miss what went into the same packets.
func TestBroadcastsReachAllOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := startMany(t, newNetwork(t), 5)
		for i := range 500 {
			require.NoError(t, all[i%2].Broadcast(member.Normal, 7, "", text(i)))
		}
		pass(10 * time.Second)
		for _, r := range all[2:] {
			got := r.gossiped.times()
			once(t, got, 450)
			require.EqualValues(t, len(got), r.Stats().Received.Gossip)
			require.GreaterOrEqual(t, r.Stats().Sent.Gossip, uint64(len(got)), "passed on")
			require.Zero(t, r.Stats().Dropped)
		}
		require.LessOrEqual(t, len(all[0].gossiped.times()), 250, "not its own")
		got := all[4].gossiped.list[0]
		require.EqualValues(t, 7, got.Kind)
		require.Contains(t, []member.Origin{{Replica: "a", Boot: 1}, {Replica: "b", Boot: 1}}, got.Origin)
	})
}

func TestMessagesOverABadNetwork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		all := startMany(t, network, 4)
		network.SetFaults(membertest.Faults{Loss: 0.2, Repeat: 0.3, Delay: 300 * time.Millisecond})
		for i := range 200 {
			require.NoError(t, all[0].Broadcast(member.Bulk, 1, "", text(i)))
			require.NoError(t, all[0].SendAll(2, text(i)))
		}
		pass(time.Minute)
		for _, r := range all[1:] {
			// Now and then a packet with some of them is lost each time. Of all that are sent
			// once, 40 would be lost.
			once(t, r.gossiped.times(), 180)
			once(t, r.sent.times(), 130)
			require.NotZero(t, r.Stats().Refused.Repeated)
			require.Zero(t, r.Stats().Refused.Malformed+r.Stats().Refused.Corrupted)
		}
	})
}

// once requires that at least so many messages came, and none twice.
func once(t *testing.T, times map[string]int, least int) {
	t.Helper()
	require.GreaterOrEqual(t, len(times), least)
	for message, n := range times {
		require.Equal(t, 1, n, message)
	}
}

func TestBroadcastsArePassedOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := startMany(t, newNetwork(t), 2)
		foreign := member.Envelope{
			Version: 1, Plane: byte(member.Normal), Kind: 4, Fingerprint: fingerprint,
			Origin: member.Origin{Replica: "z", Boot: 9}, Sequence: 1, Payload: []byte("from afar"),
		}
		all[0].Receive(foreign.Encode())
		foreign.Plane, foreign.Payload = byte(member.PlaneDirect), []byte("to one")
		all[0].Receive(foreign.Encode())
		eventually(t, 5*time.Second, func() bool { return all[1].gossiped.times()["from afar"] == 1 })
		require.Equal(t, foreign.Origin, all[1].gossiped.list[0].Origin)
		pass(time.Minute)
		require.Empty(t, all[1].sent.times(), "datagrams are not")
	})
}

// What a full queue of more urgent ones does not take is heard, counted, and not passed on.
func TestAFullQueuePassesNothingOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := start(t, newNetwork(t), "a", nil)
		for range member.MaxQueued {
			require.NoError(t, a.Broadcast(member.Urgent, 1, "", nil))
		}
		require.ErrorIs(t, a.Broadcast(member.Normal, 1, "", nil), member.ErrFull)
		require.Zero(t, a.Stats().Dropped)
		a.Receive(member.Envelope{
			Version: 1, Plane: byte(member.Normal), Fingerprint: fingerprint,
			Origin: member.Origin{Replica: "z", Boot: 1}, Sequence: 1, Payload: []byte("from afar"),
		}.Encode())
		synctest.Wait()
		require.Equal(t, map[string]int{"from afar": 1}, a.gossiped.times())
		require.Equal(t, member.Dropped{Queued: 1}, a.Stats().Dropped)
	})
}

func TestANewerMessageReplacesAnOlder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := startMany(t, newNetwork(t), 2)
		for i := range 100 {
			require.NoError(t, all[0].Broadcast(member.Bulk, 1, "shard 5", text(i)))
		}
		require.NoError(t, all[0].Broadcast(member.Bulk, 2, "shard 5", []byte("of another kind")))
		eventually(t, 5*time.Second, func() bool { return len(all[1].gossiped.times()) == 2 })
		pass(time.Minute)
		require.Equal(t, map[string]int{"message 00099": 1, "of another kind": 1}, all[1].gossiped.times())
	})
}

func TestKeysOfTwoOriginsAreApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := startMany(t, newNetwork(t), 2)
		for _, id := range []string{"y", "z"} {
			all[0].Receive(member.Envelope{
				Version: 1, Plane: byte(member.Bulk), Fingerprint: fingerprint, Key: []byte("k"),
				Origin: member.Origin{Replica: id, Boot: 1}, Sequence: 1, Payload: []byte("of " + id),
			}.Encode())
		}
		eventually(t, 5*time.Second, func() bool { return len(all[1].gossiped.times()) == 2 })
	})
}

func TestTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := startMany(t, newNetwork(t), 2)
		largest := make([]byte, member.MaxPayload)
		require.NoError(t, all[0].Broadcast(member.Urgent, 1, string(largest[:32]), largest))
		require.NoError(t, all[0].SendAll(1, largest))
		eventually(t, 5*time.Second, func() bool {
			return all[1].gossiped.times()[string(largest)] == 1 && all[1].sent.times()[string(largest)] == 1
		})
		larger := make([]byte, member.MaxPayload+1)
		require.ErrorIs(t, all[0].Broadcast(member.Urgent, 1, "", larger), member.ErrTooLarge)
		require.ErrorIs(t, all[0].Broadcast(member.Urgent, 1, string(larger[:33]), nil), member.ErrTooLarge)
		require.ErrorIs(t, all[0].SendAll(1, larger), member.ErrTooLarge)
		require.Error(t, all[0].Broadcast(0, 1, "", nil))
	})
}
