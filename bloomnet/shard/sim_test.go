package shard_test

import (
	"flag"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	simSeeds = flag.Uint64("shard.seeds", 200, "how many simulations to run")
	simSeed  = flag.Uint64("shard.seed", 0, "run this simulation alone, and print its trace")
)

// A simulation drives the Core and View of several replicas, with databases, network,
// clocks and faults that are made up, in one goroutine at a time: what its seed was is
// all there is to know to run it again. Every Free is judged by what is there in truth.
func TestSimulation(t *testing.T) {
	t.Parallel()
	if *simSeed != 0 {
		runSeed(t, *simSeed, true)
		return
	}
	var next, free, checks, verified atomic.Uint64
	t.Cleanup(func() {
		t.Logf("%d of %d checks said Free; %d tables compared", free.Load(), checks.Load(), verified.Load())
		require.NotZero(t, free.Load()*verified.Load())
	})
	for _, worker := range []string{"a", "b", "c", "d"} {
		t.Run(worker, func(t *testing.T) {
			t.Parallel()
			for seed := next.Add(1); seed <= *simSeeds; seed = next.Add(1) {
				w := runSeed(t, seed, false)
				free.Add(w.free)
				checks.Add(w.checks)
				verified.Add(w.verified)
			}
		})
	}
}

func runSeed(t *testing.T, seed uint64, tracing bool) *world {
	t.Helper()
	w := newWorld(seed, tracing)
	w.run()
	if w.wrong != "" && !tracing {
		w = newWorld(seed, true)
		w.run()
	}
	if tracing || w.wrong != "" {
		t.Logf("seed %d:\n%s", seed, w.story())
	}
	require.Empty(t, w.wrong, "go test ./bloomnet/shard -run TestSimulation -shard.seed=%d", seed)
	return w
}
