package member_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member"
)

const sharesNothing = "nothing is shared with a replica that is set up differently"

func TestForeignReplicasShareNothingAndAreToldOnce(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		change  func(*member.Options)
		refused func(member.Refused) uint64
		state   member.State
	}{
		"fingerprint": {
			func(o *member.Options) { o.Fingerprint[0]++ },
			func(r member.Refused) uint64 { return r.Fingerprint },
			member.Ready,
		},
		"wire version": {
			func(o *member.Options) { o.Version++ },
			func(r member.Refused) uint64 { return r.Version },
			0, // not known
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newNetwork(t)
				all := startMany(t, network, 2)
				foreign := start(t, network, "z", func(o *member.Options) {
					joining(all[0])(o)
					row.change(o)
				})
				for _, r := range append(all, foreign) {
					r.sees(t, 10*time.Second, 3)
				}
				require.NoError(t, foreign.SetState(member.Ready))
				for i := range 20 {
					require.NoError(t, foreign.Broadcast(member.Urgent, 1, "", text(i)))
					require.NoError(t, all[0].Broadcast(member.Urgent, 1, "", text(i)))
					require.NoError(t, foreign.SendAll(1, text(i)))
				}
				pass(3 * time.Minute)

				z, _ := all[0].find("z")
				require.True(t, z.Foreign)
				require.Equal(t, row.state, z.State)
				b, _ := all[0].find("b")
				require.False(t, b.Foreign)
				for _, r := range all {
					require.NotZero(t, row.refused(r.Stats().Refused))
					require.Equal(t, 1, r.log.Count(sharesNothing))
					require.NotContains(t, r.digests.times(), "all of z")
				}
				require.Len(t, all[1].gossiped.times(), 20)
				require.Equal(t, 2, foreign.log.Count(sharesNothing))
				require.Empty(t, foreign.gossiped.times())
				require.Empty(t, foreign.digests.times())
				require.Zero(t, foreign.Stats().Sent.Direct)
			})
		})
	}
}

// Every message that is refused is counted under its reason, and nothing is remembered
// of its origin.
func TestRefusals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := start(t, newNetwork(t), "a", nil)
		good := member.Envelope{
			Version: 1, Plane: byte(member.Normal), Fingerprint: fingerprint,
			Origin: member.Origin{Replica: "b", Boot: 3}, Sequence: 1, Payload: []byte("payload"),
		}
		flipped := good.Encode()
		flipped[len(flipped)/2] ^= 1
		version, foreign, own := good, good, good
		version.Version, foreign.Fingerprint[7], own.Origin = 2, 99, member.Origin{Replica: "a", Boot: 1}
		digest, large, unknown, zero, name := good, good, good, good, good
		digest.Plane, large.Payload, unknown.Plane = byte(member.PlaneDigest), make([]byte, member.MaxPayload+1), 77
		zero.Sequence, name.Origin.Replica = 0, "b\n"
		for _, b := range [][]byte{
			nil, []byte("n"), []byte("nm"),
			{'n', 'm', 1},
			good.Encode()[1:], flipped, good.Encode()[:40],
			version.Encode(), foreign.Encode(), own.Encode(), digest.Encode(), large.Encode(),
			unknown.Encode(), zero.Encode(), name.Encode(), make([]byte, 1<<20),
			append([]byte("nm\x01"), make([]byte, 1<<20)...),
		} {
			a.Receive(b)
		}
		a.ReceiveDigest(good.Encode())
		require.Equal(t, member.Refused{
			Malformed: 10, Corrupted: 3, TooLarge: 2, Version: 1, Fingerprint: 1, Repeated: 1,
		}, a.Stats().Refused)
		require.Zero(t, a.Origins())

		a.Receive(good.Encode())
		a.Receive(good.Encode())
		a.ReceiveDigest(digest.Encode())
		synctest.Wait()
		require.EqualValues(t, 2, a.Stats().Refused.Repeated)
		require.Equal(t, 1, a.Origins())
		require.Equal(t, map[string]int{"payload": 1}, a.gossiped.times())
		require.Equal(t, map[string]int{"payload": 1}, a.digests.times())
	})
}

// A packet's buffer is used again by memberlist.
func TestReceivedBytesAreCopied(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := start(t, newNetwork(t), "a", nil)
		for _, plane := range []byte{byte(member.Normal), byte(member.PlaneDirect)} {
			b := member.Envelope{
				Version: 1, Plane: plane, Fingerprint: fingerprint,
				Origin: member.Origin{Replica: "b", Boot: 3}, Sequence: 1, Payload: []byte("payload"),
			}.Encode()
			a.Receive(b)
			clear(b)
		}
		synctest.Wait()
		require.Equal(t, map[string]int{"payload": 1}, a.gossiped.times())
		require.Equal(t, map[string]int{"payload": 1}, a.sent.times())
	})
}

func TestMembersWithBadMetaDataAreNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := start(t, newNetwork(t), "a", nil)
		bad := member.Someone(1, a.View().Members[0])
		bad.State = 9
		a.NotifyJoin(bad)
		a.NotifyJoinAs("someone-else", member.Someone(2, a.View().Members[0]))
		require.Len(t, a.View().Members, 1)
		require.EqualValues(t, 2, a.Stats().Refused.Malformed)
		a.NotifyLeave(bad)
		require.Empty(t, a.View().Departed)
	})
}
