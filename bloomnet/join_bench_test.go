package bloomnet_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet"
	"namegate/bloomnet/bloom"
)

const (
	joinShards = 1024
	// joinNames is how many names a shard has: at 16 bits a name and a tenth of room, all
	// filters together have 1 GB.
	joinNames = 444_000
	joinBytes = joinShards * joinNames * 1.1 * 2
)

// vastDatabase has more names than a map of them would leave memory for.
type vastDatabase struct{ *fakeDatabase }

func newVastDatabase() vastDatabase {
	d := newFakeDatabase("vast")
	d.owned, d.builds = make([]uint64, joinShards), make([]uint64, joinShards)
	d.own(1)
	return vastDatabase{d}
}

// Copy gives the shards random names, the same each time.
func (d vastDatabase) Copy(_ context.Context, list []int, add func(bloomnet.Row)) (bloomnet.Copied, error) {
	copied := bloomnet.Copied{At: d.position(), Epochs: map[int]uint64{}}
	for _, number := range list {
		copied.Epochs[number] = 1
		random := rand.New(rand.NewPCG(uint64(number), 0))
		for range joinNames {
			add(bloomnet.Row{Shard: number, Hash: bloom.Hash{Hi: random.Uint64(), Lo: random.Uint64()}})
		}
	}
	return copied, nil
}

// BenchmarkJoin has a replica without anything get 1 GB of shards of two others, while one
// goroutine asks those two for names.
func BenchmarkJoin(b *testing.B) {
	d := newVastDatabase()
	first, address := onLoopback(b, "first", nil, joinShards, d)
	require.Eventually(b, func() bool { return vouchesForAll(first, joinShards) }, 3*time.Minute, 50*time.Millisecond)
	second, _ := onLoopback(b, "second", []string{address}, joinShards, d)
	require.Eventually(b, func() bool { return vouchesForAll(second, joinShards) }, time.Minute, 50*time.Millisecond)
	peers := []*bloomnet.Net{first, second}
	for b.Loop() {
		before := checksDuring(peers, func() { <-time.After(2 * time.Second) })
		var begun, pulled, ready time.Time
		beside := checksDuring(peers, func() {
			begun = time.Now()
			third, _ := onLoopback(b, "third", []string{address}, joinShards, d)
			defer stop(third)
			has := func(images uint64) func() bool { return func() bool { return third.Stats().Pulled.Load() >= images } }
			require.Eventually(b, has(1), time.Minute, time.Millisecond)
			pulled = time.Now()
			require.Eventually(b, has(joinShards), time.Minute, time.Millisecond)
			b.ReportMetric(joinBytes/1e6/time.Since(pulled).Seconds(), "MB/s")
			require.Eventually(b, func() bool { return vouchesForAll(third, joinShards) }, time.Minute, time.Millisecond)
			ready = time.Now()
		})
		b.ReportMetric(pulled.Sub(begun).Seconds(), "s-first")
		b.ReportMetric(ready.Sub(begun).Seconds(), "s-all")
		b.ReportMetric(beside/before, "x-checks")
	}
}

// checksDuring gives how many names a second one goroutine asks for while something is done.
func checksDuring(peers []*bloomnet.Net, do func()) float64 {
	done := make(chan struct{})
	rate := make(chan float64)
	go func() {
		began, n := time.Now(), 0
		random := rand.New(rand.NewPCG(1, 2))
		for {
			select {
			case <-done:
				rate <- float64(n) / time.Since(began).Seconds()
				return
			default:
			}
			for range 1000 {
				h := random.Uint64()
				peers[n%len(peers)].Check(int(h%joinShards), bloom.Hash{Hi: h, Lo: random.Uint64()})
				n++
			}
		}
	}()
	do()
	close(done)
	return <-rate
}
