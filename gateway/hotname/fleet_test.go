package hotname_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet"
	"namegate/bloomnet/member/membertest"
	"namegate/bloomnet/shard"
	"namegate/gateway/hotname"
	"namegate/storage"
	"namegate/storage/feed"
)

// topic is that of deny lists.
const topic = 1

// silent is a listener whom nobody calls.
type silent struct {
	closed chan struct{}
	once   sync.Once
}

func (s *silent) Accept() (net.Conn, error) {
	<-s.closed
	return nil, net.ErrClosed
}

func (s *silent) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func (s *silent) Addr() net.Addr { return &net.TCPAddr{} }

// fleet are replicas with deny lists over a network in memory, of one registry.
type fleet struct {
	*world
	network *membertest.Network
	lists   []*hotname.List
}

func instant() shard.Instant {
	now := time.Now()
	return shard.Instant{Boot: time.Duration(now.UnixNano()), Wall: now.UTC().Round(0)}
}

// newFleet starts replicas, and has them find each other.
func newFleet(t *testing.T, count int) *fleet {
	t.Helper()
	f := &fleet{world: newWorld(), network: membertest.New(1)}
	var known []string
	for i := range count {
		transport := f.network.Transport()
		f.start(t, i, transport, known)
		known = append(known, transport.Address().String())
		pass(time.Second)
	}
	pass(20 * time.Second)
	return f
}

func (f *fleet) start(t *testing.T, i int, transport *membertest.Transport, known []string) {
	t.Helper()
	var n *bloomnet.Net
	o := options()
	o.Store, o.Random = f.world, rand.New(rand.NewPCG(uint64(i), 1)).Float64
	o.Clock = func() time.Duration { return instant().Boot }
	o.Broadcast = func(key string, payload []byte) error { return n.Broadcast(topic, key, payload) }
	l, err := hotname.New(o)
	require.NoError(t, err)
	address := transport.Address()
	n, err = bloomnet.Start(t.Context(), bloomnet.Options{
		Shards: 1, Staleness: time.Second, VerifyEvery: time.Hour, Clock: instant, Random: func() float64 { return 0.5 },
		Logger: slog.New(slog.DiscardHandler), Topics: map[uint8]func([]byte){topic: l.Receive},
		Fleet: &bloomnet.FleetOptions{
			Replica: fmt.Sprint("replica-", i), Boot: 1, Fleet: "test", Insecure: true, Join: known,
			Gossip: address, AdvertiseGossip: address,
			Transfer: &silent{closed: make(chan struct{})}, AdvertiseTransfer: netip.AddrPortFrom(address.Addr(), 7947),
			Dial:      func(context.Context, string) (net.Conn, error) { return nil, net.ErrClosed },
			Transport: transport,
		},
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { l.Run(ctx) })
	t.Cleanup(func() {
		stop()
		run.Wait()
		n.Close(context.Background())
	})
	f.lists = append(f.lists, l)
}

// have is how many replicas answer for a name.
func (f *fleet) have(key string) (count int) {
	for _, l := range f.lists {
		if _, ok := l.Get(name(key)); ok {
			count++
		}
	}
	return count
}

// ask has so many ask each of some replicas for a name that is held.
func (f *fleet) ask(lists []*hotname.List, key string, times int) {
	f.world.mu.Lock()
	s := f.rows[key]
	f.world.mu.Unlock()
	for _, l := range lists {
		for range times {
			l.Saw(name(key), s)
		}
	}
}

// inFleet runs a test of replicas, and lets all of it come to its end.
func inFleet(t *testing.T, count int, f func(*testing.T, *fleet)) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		t.Cleanup(func() { pass(membertest.Linger) }) // the last of all
		f(t, newFleet(t, count))
	})
}

// What is hot on one of five is on all within about a second, over a network that loses
// a third of the packets, and leaves all by the feed of one that hears of its release.
func TestNamesReachAllAndLeaveAll(t *testing.T) {
	inFleet(t, 5, func(t *testing.T, f *fleet) {
		f.network.SetFaults(membertest.Faults{Loss: 0.3, Repeat: 0.2, Delay: 50 * time.Millisecond})
		list := keys(20)
		for i, key := range list {
			f.put(key, held(key, 5))
			f.ask(f.lists[i%5:i%5+1], key, threshold)
		}
		pass(1500 * time.Millisecond)
		for _, key := range list {
			require.Equal(t, 5, f.have(key), key)
		}
		require.Equal(t, len(list), f.count(), "each is read once")
		pass(5 * time.Second)
		for i, key := range list {
			f.lists[i%5].Apply([]feed.Event{event(key, feed.Went, 6)})
		}
		pass(time.Second)
		for _, key := range list {
			require.Zero(t, f.have(key), key)
		}
		pass(time.Minute)
		for _, key := range list {
			require.Zero(t, f.have(key), key)
		}
	})
}

// A name that all of three are asked for by many, for ten minutes, costs a read or two at
// first and then hardly more than one in 40 s, though all see it hot at the same time.
func TestAFleetReadsLittle(t *testing.T) {
	inFleet(t, 3, func(t *testing.T, f *fleet) {
		f.put("ada", held("ada", 5))
		f.ask(f.lists, "ada", 1000)
		pass(time.Second)
		require.LessOrEqual(t, f.count(), 3)
		for range 600 {
			require.Equal(t, 3, f.have("ada"))
			f.ask(f.lists, "ada", threshold)
			pass(time.Second)
		}
		require.LessOrEqual(t, f.count(), 20)
		pass(time.Minute)
		require.Zero(t, f.have("ada"))
	})
}

// Replicas that are parted do without each other.
func TestAPartitionLeavesEachItsOwn(t *testing.T) {
	inFleet(t, 3, func(t *testing.T, f *fleet) {
		f.network.SetFaults(membertest.Faults{Blocked: true})
		f.put("ada", held("ada", 5))
		f.ask(f.lists, "ada", threshold)
		pass(time.Second)
		require.Equal(t, 3, f.have("ada"))
		require.Equal(t, 3, f.count())
		for i, l := range f.lists {
			l.Apply([]feed.Event{event("ada", feed.Went, 6)})
			require.Equal(t, 2-i, f.have("ada"))
		}
		f.put("ada", storage.Standing{})
	})
}
