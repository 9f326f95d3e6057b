package bloomnet_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet"
	"namegate/bloomnet/member"
	"namegate/bloomnet/member/membertest"
)

// heard is what a replica was told on a topic: how often each payload.
type heard struct {
	mu   sync.Mutex
	list map[string]int
}

func newHeard() *heard { return &heard{list: map[string]int{}} }

func (h *heard) take(payload []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list[string(payload)]++
}

func (h *heard) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.list))
}

// talkers start as one fleet, each with what it hears on topic 7.
func talkers(t *testing.T, w *wires, d *fakeDatabase, count int) (list []replica, hear []*heard) {
	t.Helper()
	for i := range count {
		hear = append(hear, newHeard())
		w.topics = map[uint8]func([]byte){7: hear[i].take}
		list = append(list, w.join(t, fmt.Sprintf("replica-%d", i), fingerprint, list, d))
		pass(time.Second)
	}
	pass(gathered)
	return list, hear
}

// What is told again and again reaches all within a second or so, over a network that
// loses a third of the packets, and each of them once for each time.
func TestTopicsReachAll(t *testing.T) {
	bubble(t, func(t *testing.T, w *wires, d *fakeDatabase) {
		fleet, hear := talkers(t, w, d, 5)
		w.gossip.SetFaults(membertest.Faults{Loss: 0.3, Repeat: 0.2, Delay: 50 * time.Millisecond})
		for i := range 40 {
			require.NoError(t, fleet[i%5].Broadcast(7, "", fmt.Append(nil, i)))
		}
		pass(time.Second)
		heard := 0
		for i, h := range hear {
			heard += len(h.all())
			for payload, times := range h.list {
				require.Equal(t, 1, times, "%s at %d", payload, i)
			}
		}
		// Now and then a packet with some of them is lost each time. Of all that are sent
		// once, 48 would be lost.
		require.GreaterOrEqual(t, heard, 140, "of 160")
	})
}

// A payload replaces what is still on its way under its key, of its topic alone.
func TestAPayloadReplacesThatOfItsKey(t *testing.T) {
	bubble(t, func(t *testing.T, w *wires, d *fakeDatabase) {
		fleet, hear := talkers(t, w, d, 2)
		for _, payload := range []string{"old", "new"} {
			require.NoError(t, fleet[0].Broadcast(7, "key", []byte(payload)))
		}
		require.NoError(t, fleet[0].Broadcast(8, "key", []byte("of another topic")))
		require.NoError(t, fleet[0].Broadcast(7, "other", []byte("beside")))
		pass(time.Second)
		require.Equal(t, []string{"beside", "new"}, hear[1].all())
		require.Empty(t, hear[0].all(), "nobody is told by itself")
	})
}

// A topic that a replica does not know costs it nothing else.
func TestTopicsAreApart(t *testing.T) {
	bubble(t, func(t *testing.T, w *wires, d *fakeDatabase) {
		fleet, hear := talkers(t, w, d, 2)
		for topic := range uint8(bloomnet.MaxTopic + 1) {
			require.NoError(t, fleet[0].Broadcast(topic, "", fmt.Append(nil, topic)))
		}
		pass(2 * time.Second)
		require.Equal(t, []string{"7"}, hear[1].all())
		requireVouched(t, fleet[1].Net)
		require.ErrorContains(t, fleet[0].Broadcast(bloomnet.MaxTopic+1, "", nil), "no topic 128")
		require.ErrorIs(t, fleet[0].Broadcast(7, "", make([]byte, bloomnet.MaxPayload+1)), member.ErrTooLarge)
		require.ErrorIs(t, fleet[0].Broadcast(7, strings.Repeat("k", 33), nil), member.ErrTooLarge)
	})
}

func TestAReplicaAloneTellsNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := start(t, newFakeDatabase("a"))
		require.NoError(t, n.Broadcast(7, "key", []byte("payload")))
		require.Error(t, n.Broadcast(bloomnet.MaxTopic+1, "key", nil))
	})
}
