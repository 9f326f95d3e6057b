package faults_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// load is checks at a rate, whatever becomes of them.
type load struct {
	*witness
	taken             []string
	running           sync.WaitGroup
	answered, skipped atomic.Int64
}

// loadWaiting is how many operations may wait for one replica.
const loadWaiting = 128

// put asks a replica, at a rate of names a second, until ctx ends.
func (l *load) put(ctx context.Context, t *testing.T, r *replica, rate int) {
	var waiting sync.WaitGroup
	defer waiting.Wait()
	room := make(chan struct{}, loadWaiting)
	tick := time.NewTicker(time.Second * maxChecks / time.Duration(rate))
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case room <- struct{}{}:
			waiting.Go(func() {
				l.ask(t, r)
				<-room
			})
		default:
			l.skipped.Add(1)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// ask asks for names of which nobody has half.
func (l *load) ask(t *testing.T, r *replica) {
	names := freshNames(maxChecks)
	for i := range maxChecks / 2 {
		names[i] = l.taken[rand.IntN(len(l.taken))]
	}
	answers, err := r.check(context.WithoutCancel(t.Context()), names...)
	if err != nil {
		t.Errorf("an operation failed: %v", err)
	}
	for i, a := range answers {
		l.judge(r.id, a, time.Time{})
		if a.code == "" {
			l.answered.Add(1)
		}
		if a.code == "" && i >= maxChecks/2 && !a.Available {
			t.Errorf("a free name is taken by %s: %+v", r.id, a)
		}
	}
}
