package bloomnet_test

import (
	"fmt"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet"
	"namegate/bloomnet/member/membertest"
	"namegate/bloomnet/shard"
)

// gathered is longer than replicas take to find each other and to share what they have.
const gathered = 20 * time.Second

var fingerprint = [8]byte([]byte("filter 1"))

// bubble runs a test of a fleet, and lets all of it come to its end.
func bubble(t *testing.T, f func(*testing.T, *wires, *fakeDatabase)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { pass(membertest.Linger) }) // the last of all
		f(t, newWires(), newFakeDatabase("a"))
	})
}

// three start one after the other.
func three(t *testing.T, w *wires, d *fakeDatabase) []replica {
	t.Helper()
	var list []replica
	for i := range 3 {
		list = append(list, w.join(t, fmt.Sprintf("replica-%d", i), fingerprint, list, d))
		pass(gathered)
	}
	return list
}

func requireVouched(t *testing.T, n *bloomnet.Net) {
	t.Helper()
	for i := range shards {
		require.True(t, n.Vouched(i), "shard %d", i)
	}
}

// The first replica reads the table; the others get what it made of it.
func TestAReplicaThatJoinsReadsNoTable(t *testing.T) {
	bubble(t, func(t *testing.T, w *wires, d *fakeDatabase) {
		d.put(false, "ada")
		d.put(true, "bob")
		first := w.join(t, "first", fingerprint, nil, d)
		pass(gathered)
		copies := d.counts()
		require.Positive(t, copies)
		second := w.join(t, "second", fingerprint, []replica{first}, d)
		pass(gathered)
		require.Equal(t, copies, d.counts())
		require.EqualValues(t, shards, second.Stats().Pulled.Load())
		requireVouched(t, second.Net)
		for name, want := range map[string]shard.Standing{"ada": shard.Maybe, "bob": shard.Maybe, "carol": shard.Free} {
			require.Equal(t, want, standing(second.Net, name), name)
		}
	})
}

// A base that the owner of a shard has made anew goes to all.
func TestNewBasesGoToAll(t *testing.T) {
	bubble(t, func(t *testing.T, w *wires, d *fakeDatabase) {
		for i := range 1000 {
			d.put(false, fmt.Sprintf("old%d.0", i))
		}
		fleet := three(t, w, d)
		built := d.buildOf(0)
		for i := range 300 {
			d.put(false, fmt.Sprintf("name%d.0", i))
		}
		pass(gathered)
		require.Equal(t, built+1, d.buildOf(0), "one of them folds")
		pulled := uint64(0)
		for _, r := range fleet {
			requireVouched(t, r.Net)
			pulled += r.Stats().Pulled.Load()
		}
		require.EqualValues(t, 2*shards+2, pulled, "each of two at the start, and the new one")
	})
}

// What one replica is about to add, the others expect before the database tells.
func TestHintsGoToAll(t *testing.T) {
	bubble(t, func(t *testing.T, w *wires, d *fakeDatabase) {
		fleet := three(t, w, d)
		fleet[0].Hint(hasher.Sum("ada"))
		pass(100 * time.Millisecond)
		for _, r := range fleet {
			require.Equal(t, shard.Maybe, standing(r.Net, "ada"))
		}
	})
}

// Replicas that are parted go on as each reads the databases itself, and find each other
// again, also after they have forgotten each other.
func TestAPartitionLeavesAnswersRight(t *testing.T) {
	bubble(t, func(t *testing.T, w *wires, d *fakeDatabase) {
		fleet := three(t, w, d)
		w.gossip.Part([]netip.AddrPort{fleet[0].gossip})
		pass(3 * time.Minute)
		d.put(false, "ada")
		pass(time.Second)
		for _, r := range fleet {
			requireVouched(t, r.Net)
			require.Equal(t, shard.Maybe, standing(r.Net, "ada"))
		}
		w.gossip.Part()
		pass(2 * time.Minute)
		fleet[0].Hint(hasher.Sum("bob"))
		pass(100 * time.Millisecond)
		require.Equal(t, shard.Maybe, standing(fleet[2].Net, "bob"), "they are one fleet again")
	})
}

// Filters of another form are of no use, and none of them is taken.
func TestForeignReplicasShareNothing(t *testing.T) {
	bubble(t, func(t *testing.T, w *wires, d *fakeDatabase) {
		first := w.join(t, "first", fingerprint, nil, d)
		pass(gathered)
		copies := d.counts()
		other := w.join(t, "other", [8]byte([]byte("filter 2")), []replica{first}, d)
		pass(gathered)
		require.Greater(t, d.counts(), copies, "it builds for itself")
		require.Zero(t, other.Stats().Pulled.Load())
		requireVouched(t, other.Net)
		first.Hint(hasher.Sum("ada"))
		pass(time.Second)
		require.Equal(t, shard.Free, standing(other.Net, "ada"))
	})
}

// Without streams between them, replicas that cannot get an image do not vouch, and the
// owner builds; nobody guesses.
func TestWithoutTransfersNobodyGuesses(t *testing.T) {
	bubble(t, func(t *testing.T, w *wires, d *fakeDatabase) {
		d.put(false, "ada")
		first := w.join(t, "first", fingerprint, nil, d)
		pass(gathered)
		w.cutOff(true)
		second := w.join(t, "second", fingerprint, []replica{first}, d)
		pass(gathered)
		for _, name := range []string{"ada", "bob"} {
			require.Equal(t, shard.Unknown, standing(second.Net, name))
		}
		w.cutOff(false)
		pass(gathered)
		requireVouched(t, second.Net)
	})
}

// A start that fails leaves nothing open.
func TestAFleetThatCannotBeJoinedIsLeftWhole(t *testing.T) {
	t.Parallel()
	l := newWires().listen(netip.MustParseAddr("127.0.0.1"))
	_, err := bloomnet.Start(t.Context(), bloomnet.Options{
		Shards: shards, Clock: now, Random: func() float64 { return 0.5 }, Logger: discard,
		Fleet: &bloomnet.FleetOptions{Replica: "first", Boot: 1, Fleet: "test", Transfer: l}, // without a key
	})
	require.Error(t, err)
	_, err = l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}
