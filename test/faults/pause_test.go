package faults_test

import (
	"sync"
	"testing"
	"time"
)

// A replica that was stopped for several bounds, and has questions and messages waiting
// when it goes on, answers none of them from bits that are too old.
func TestAReplicaIsPaused(t *testing.T) {
	t.Parallel()
	g := sharedRegistry(t)
	peers := g.fleet(t, 2, direct)
	sleeper := peers[1].replica
	w := newWitness(t, g.staleness)
	w.watch(t, peers[0].replica)
	pause := 3 * g.staleness
	if *long {
		pause = 30 * time.Second
	}
	writers := []*replica{g.writer(t), peers[0].replica} // the other one's hints fill sockets
	for round := range rounds(2, 5) {
		sleeper.pause(t)
		names := freshNames(2 * maxChecks)
		answered := w.askAsleep(t, sleeper, names)
		holdFor(t, w, pause, writers[round%2], names)
		sleeper.resume(t)
		stop := w.watch(t, sleeper)
		answered()
		awaitAuthority(t, sleeper)
		stop()
	}
}

// waiting is how many questions wait in the sockets of a replica that is paused.
const waiting = 32

// askAsleep asks a replica that is paused; the function given waits for the answers.
func (w *witness) askAsleep(t testing.TB, sleeper *replica, names []string) (answered func()) {
	var asking sync.WaitGroup
	for i := range waiting {
		some := names[:len(names)/2]
		if i%2 == 1 {
			some = names[len(names)/2:]
		}
		asking.Go(func() { w.question(t.Context(), sleeper, some...) })
	}
	return asking.Wait
}

// holdFor has names reserved for some time: those given, then others.
func holdFor(t testing.TB, w *witness, d time.Duration, writer *replica, names []string) {
	t.Helper()
	tick := time.Tick(watchInterval)
	for end := time.Now().Add(d); time.Now().Before(end); <-tick {
		name := freshName()
		if len(names) > 0 {
			name, names = names[0], names[1:]
		}
		writer.hold(t, w, name)
	}
}
