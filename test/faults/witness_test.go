package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// witness knows when names were surely held, and judges what replicas say of them. All
// clocks are that of one machine.
type witness struct {
	bound time.Duration

	mu      sync.Mutex
	tenures map[string]tenure
	names   []string
	wrong   []string
	filter  int // answers of the filter
	refused map[string]int
}

// tenure is from when to when a name was held at least; the zero time is not yet.
type tenure struct{ from, to time.Time }

func newWitness(t testing.TB, bound time.Duration) *witness {
	w := &witness{bound: bound, tenures: map[string]tenure{}, refused: map[string]int{}}
	t.Cleanup(func() { w.requireNothingWrong(t) })
	return w
}

// held notes that a name was given before now.
func (w *witness) held(name string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.tenures[name]; !known {
		w.names = append(w.names, name)
	}
	w.tenures[name] = tenure{from: now}
}

// released notes that a name is still held until a time.
func (w *witness) released(name string, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tenures[name] = tenure{w.tenures[name].from, until}
}

// slack is by how much the times of an answer may be cut short.
const slack = time.Millisecond

// judge notes what is wrong with an answer. awakened is when the replica's last pause
// ended: what was asked before was decided after it.
func (w *witness) judge(id string, a answer, awakened time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.code != "" {
		w.refused[a.code]++
		return
	}
	if awakened.After(a.sent) {
		a.sent = awakened
	}
	if a.DecidedBy == "FILTER" {
		w.filter++
		if !a.Available {
			w.blame(id, a, "the filter called it taken")
		}
	}
	if a.Available && a.AsOf.Before(a.sent.Add(-w.bound-slack)) {
		w.blame(id, a, "it is older than the bound")
	}
	if held := w.tenures[a.Requested]; a.Available && !held.from.IsZero() && held.from.Before(a.AsOf) && (held.to.IsZero() || a.received.Before(held.to)) {
		w.blame(id, a, fmt.Sprintf("it was held from %s on", held.from.Format(time.RFC3339Nano)))
	}
}

func (w *witness) blame(id string, a answer, why string) {
	w.wrong = append(w.wrong, fmt.Sprintf("%s of %s: %s; sent %s, received %s, %+v", id, a.Requested, why,
		a.sent.Format(time.RFC3339Nano), a.received.Format(time.RFC3339Nano), a))
}

// some are names to ask for: the last ones held, any that were, and fresh ones.
func (w *witness) some() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	names := []string{freshName(), freshName()}
	for i := len(w.names) - 1; i >= 0 && len(names) < maxChecks/2; i-- {
		names = append(names, w.names[i])
	}
	for len(w.names) > 0 && len(names) < maxChecks {
		names = append(names, w.names[rand.IntN(len(w.names))])
	}
	return names
}

// watchInterval is how often each replica is asked.
const watchInterval = 20 * time.Millisecond

// watch asks replicas all the time until the test ends or the function given is called.
// Replicas that do not answer, as they are dead or paused, are asked again.
func (w *witness) watch(t testing.TB, replicas ...*replica) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	for _, r := range replicas {
		asking.Go(func() {
			tick := time.NewTicker(watchInterval)
			defer tick.Stop()
			for ctx.Err() == nil {
				w.question(ctx, r, w.some()...)
				select {
				case <-tick.C:
				case <-ctx.Done():
				}
			}
		})
	}
	stop = sync.OnceFunc(func() { cancel(); asking.Wait() })
	t.Cleanup(stop)
	return stop
}

// question has a replica's answers judged.
func (w *witness) question(ctx context.Context, r *replica, names ...string) []answer {
	answers, err := r.check(ctx, names...)
	if err != nil {
		return nil
	}
	for _, a := range answers {
		w.judge(r.id, a, time.Unix(0, r.awakened.Load()))
	}
	return answers
}

// requireNothingWrong fails when something was wrong, or when there was nothing to judge.
func (w *witness) requireNothingWrong(t testing.TB) {
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Empty(t, w.wrong[:min(3, len(w.wrong))], "wrong answers: %d", len(w.wrong))
	require.NotZero(t, w.filter, "answers of the filter")
	t.Logf("%d answers of the filter, none wrong; names held: %d; refused: %v", w.filter, len(w.names), w.refused)
}

// requireKnown waits until no replica calls a name free, and gives how long that took since
// the name was held.
func (w *witness) requireKnown(t testing.TB, name string, replicas ...*replica) time.Duration {
	t.Helper()
	w.mu.Lock()
	held := w.tenures[name].from
	w.mu.Unlock()
	for _, r := range replicas {
		eventually(t, 10*w.bound, "a replica that knows a name", func() bool {
			answers := w.question(t.Context(), r, name)
			return answers != nil && answers[0].code == "" && !answers[0].Available
		})
	}
	return time.Since(held)
}
