package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	// popularNames are taken, and asked for with the skew of zipf.
	popularNames = 1_000_000
	// zipf is the exponent of the skew: the most popular name is asked for twice as
	// often as the second and third one together.
	zipf = 1.1
	// webConnections is how many clients type at once; checksWanted how many names a
	// second they ask for, and reservesWanted how many they take.
	webConnections               = 32
	checksWanted, reservesWanted = 20_000, 5_000
	// settleTime is what the layers get to know what is asked for.
	settleTime = time.Minute
)

// planOfLayers measures what a gateway answers from memory.
func (l *lab) planOfLayers() []comparison {
	popular := &registry{lab: l, name: "popular", parts: 2, names: popularNames, redis: true}
	return []comparison{
		{"JSON echo", []work{l.echo(webConnections), checkPopular(popular, 0), checkPopular(popular, checksWanted)}},
		{"checks and reserves wanted", []work{wanted(), checkAndReserve(popular)}},
	}
}

// nextPopular is the source of checks of which one half is of popular names, the other of
// free ones.
func nextPopular() source {
	popular := rand.NewZipf(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), zipf, 1, popularNames-1)
	return func(body, wanted []byte) ([]byte, []byte) {
		if rand.Uint64()&1 == 0 {
			return appendCheck(body, wanted, imported, popular.Uint64(), false)
		}
		return appendCheck(body, wanted, free, rand.Uint64N(maxIndex), true)
	}
}

// checkPopular asks a gateway for names at a rate, or as fast as it answers at 0.
func checkPopular(r *registry, rate float64) work {
	name := fmt.Sprintf("`usernameAvailable` over HTTP, popular names, %d connections", webConnections)
	if rate > 0 {
		name += fmt.Sprintf(", %s a second", grouped(uint64(rate)))
	}
	byDatabase := share{of: []byte(`"decidedBy":"DATABASE"`)}
	t := traffic{connections: webConnections, next: nextPopular, rate: rate, seen: byDatabase.count}
	run := func(ctx context.Context, length time.Duration) (sample, error) {
		t.address = r.address
		s, err := t.run(ctx, length)
		s.asked = byDatabase.take()
		return s, err
	}
	return work{name, r.warm(t), run}
}

// warm prepares the registry and, the first time, asks for a while.
func (r *registry) warm(t traffic) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := r.prepare(ctx); err != nil || r.warmed {
			return err
		}
		r.warmed = true
		t.address, t.rate = r.address, 0
		_, err := t.run(ctx, settleTime)
		return err
	}
}

// wanted is no work, but what checkAndReserve is compared with.
func wanted() work {
	nothing := func(context.Context) error { return nil }
	run := func(context.Context, time.Duration) (sample, error) {
		return sample{calls: 1, rate: checksWanted + reservesWanted}, nil
	}
	return work{fmt.Sprintf("%s checks and %s reserves a second", grouped(checksWanted), grouped(reservesWanted)), nothing, run}
}

// checkAndReserve asks for names and takes some, as often each as wanted.
func checkAndReserve(r *registry) work {
	next := func() source {
		check, reserve, n := nextPopular(), r.nextReserve(), rand.IntN(checksWanted+reservesWanted)
		return func(body, wanted []byte) ([]byte, []byte) {
			if n += reservesWanted; n >= checksWanted+reservesWanted {
				n -= checksWanted + reservesWanted
				return reserve(body, wanted)
			}
			return check(body, wanted)
		}
	}
	t := traffic{connections: connections, next: next}
	run := func(ctx context.Context, length time.Duration) (sample, error) {
		t.address = r.address
		return t.run(ctx, length)
	}
	name := fmt.Sprintf("%d checks of popular names to a reserve over HTTP, %d connections", checksWanted/reservesWanted, connections)
	return work{name, r.warm(t), run}
}
