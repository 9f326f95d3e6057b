package bloomnet_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"namegate/bloomnet"
	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

const (
	benchReplicas = 10
	benchRate     = 2000 // names a second, over all replicas
	benchSeconds  = 5
	// commitDelay is from the hint of a writer to its commit.
	commitDelay = 20 * time.Millisecond
)

// onLoopback starts a replica on sockets of this machine.
func onLoopback(b *testing.B, id string, join []string, shards int, sources ...bloomnet.Source) (*bloomnet.Net, string) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	port := freePort(b)
	host := netip.MustParseAddr("127.0.0.1")
	var dialer net.Dialer
	n, err := bloomnet.Start(b.Context(), bloomnet.Options{
		Shards: shards, Sources: sources, Staleness: staleness, VerifyEvery: verifyEvery, Clock: now, Random: rand.Float64,
		Fingerprint: fingerprint, Logger: discard,
		Fleet: &bloomnet.FleetOptions{
			Replica: id, Boot: uint64(time.Now().UnixNano()), Fleet: "bench", Keys: [][]byte{gossipKey}, Join: join,
			Gossip: netip.AddrPortFrom(host, port), AdvertiseGossip: netip.AddrPortFrom(host, port),
			Transfer: l, AdvertiseTransfer: l.Addr().(*net.TCPAddr).AddrPort(),
			Dial: func(ctx context.Context, address string) (net.Conn, error) {
				return dialer.DialContext(ctx, "tcp", address)
			},
		},
	})
	require.NoError(b, err)
	b.Cleanup(func() { stop(n) })
	return n, netip.AddrPortFrom(host, port).String()
}

func freePort(b *testing.B) uint16 {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).AddrPort().Port()
}

// seen is when a replica knew of each name, since that was begun.
type seen struct {
	mu    sync.Mutex
	delay []time.Duration
}

// BenchmarkFleet has ten replicas add names, which their database tells a moment later, and
// says how soon all of them know: by hints, and by the feed alone.
func BenchmarkFleet(b *testing.B) {
	for name, hints := range map[string]bool{"with hints": true, "without hints": false} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				delays := addAndWatch(b, hints)
				slices.Sort(delays)
				b.ReportMetric(float64(delays[len(delays)/2].Milliseconds()), "ms/p50")
				b.ReportMetric(float64(delays[len(delays)*99/100].Milliseconds()), "ms/p99")
				b.ReportMetric(float64(delays[len(delays)-1].Milliseconds()), "ms/last")
			}
		})
	}
}

func addAndWatch(b *testing.B, hints bool) []time.Duration {
	b.Helper()
	d := newFakeDatabase("a")
	var fleet []*bloomnet.Net
	var join []string
	for i := range benchReplicas {
		n, address := onLoopback(b, fmt.Sprintf("replica-%d", i), join, shards, d)
		fleet, join = append(fleet, n), append(join, address)
	}
	require.Eventually(b, func() bool {
		return !slices.ContainsFunc(fleet, func(n *bloomnet.Net) bool { return !vouchesForAll(n, shards) })
	}, time.Minute, 50*time.Millisecond)

	var seen seen
	var watching sync.WaitGroup
	beat := time.NewTicker(time.Second / benchRate)
	defer beat.Stop()
	for i := range benchRate * benchSeconds {
		<-beat.C
		name := fmt.Sprintf("name-%d-%d", i, rand.Uint64())
		if i%20 == 0 { // as many as can be watched closely
			watching.Go(func() { seen.watch(b, fleet, name) })
		}
		if hints {
			fleet[i%benchReplicas].Hint(hasher.Sum(name))
		}
		watching.Add(1)
		time.AfterFunc(commitDelay, func() {
			defer watching.Done()
			d.put(true, name)
		})
	}
	watching.Wait()
	return seen.delay
}

func vouchesForAll(n *bloomnet.Net, shards int) bool {
	for i := range shards {
		if !n.Vouched(i) {
			return false
		}
	}
	return true
}

// watch notes when each replica knows of a name. One that never does fails the benchmark.
func (s *seen) watch(b *testing.B, fleet []*bloomnet.Net, name string) {
	began := time.Now()
	hash := hasher.Sum(name)
	waiting := slices.Clone(fleet)
	assert.Eventually(b, func() bool {
		waiting = slices.DeleteFunc(waiting, func(n *bloomnet.Net) bool { return s.note(n, name, hash, began) })
		return len(waiting) == 0
	}, 10*time.Second, 2*time.Millisecond)
}

func (s *seen) note(n *bloomnet.Net, name string, hash bloom.Hash, began time.Time) bool {
	if standing, _ := n.Check(shardOf(name), hash); standing != shard.Maybe {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delay = append(s.delay, time.Since(began))
	return true
}
