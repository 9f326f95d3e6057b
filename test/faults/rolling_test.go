package faults_test

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// rollingRate is how many calls a second come while replicas are restarted.
	rollingRate = 200
	// rollingDelay is longer than a balancer takes to hear that a replica stops.
	rollingDelay = "1s"
)

// Replicas behind a balancer that heeds /readyz are restarted one after the other, and not
// one call is lost: a reserve that got no answer may have been done or not.
func TestARollingRestartLosesNoCall(t *testing.T) {
	t.Parallel()
	g := sharedRegistry(t)
	peers := g.fleet(t, 3, direct, "--shutdown-delay", rollingDelay)
	b := balance(t, replicasOf(peers)...)
	for i := range peers {
		b.awaitReady(t, i)
	}
	calls := callers{front: b.front(t)}
	ctx, end := context.WithCancel(t.Context())
	calls.begin(ctx, t)
	for range rounds(1, 10) {
		for i, p := range peers {
			p.stop(t)
			p.start(t)
			b.awaitReady(t, i)
		}
	}
	end()
	calls.running.Wait()
	t.Logf("%d calls, %d of them reserves, in %s", calls.made.Load(), calls.reserved.Load(), time.Since(calls.since).Round(time.Second))
	require.Zero(t, calls.lost.Load(), "calls without their answer")
	require.Zero(t, b.unready.Load(), "calls for which nobody was ready")
	require.Greater(t, float64(calls.made.Load()), rollingRate/2*time.Since(calls.since).Seconds(), "calls")
}

// callers send calls at a rate, one in four a reserve.
type callers struct {
	front                *replica
	since                time.Time
	running              sync.WaitGroup
	made, reserved, lost atomic.Int64
}

// begin sends calls until ctx ends. None waits for another.
func (c *callers) begin(ctx context.Context, t *testing.T) {
	c.since = time.Now()
	c.running.Go(func() {
		tick := time.NewTicker(time.Second / rollingRate)
		defer tick.Stop()
		for n := 0; ctx.Err() == nil; n++ {
			c.running.Go(func() { c.call(context.WithoutCancel(ctx), t, n%4 == 0) })
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	})
}

func (c *callers) call(ctx context.Context, t *testing.T, reserve bool) {
	var err error
	if reserve {
		c.reserved.Add(1)
		_, err = c.front.reserve(ctx, freshName(), rand.Text())
	} else {
		var answers []answer
		if answers, err = c.front.check(ctx, freshName()); err == nil && answers[0].code != "" {
			err = errors.New(answers[0].code)
		}
	}
	c.made.Add(1)
	if err != nil {
		c.lost.Add(1)
		t.Logf("reserve=%t: %v", reserve, err)
	}
}
