package app

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"namegate/gateway/ratelimit"
)

// limitSweepInterval is how often limits forget what has run out.
const limitSweepInterval = time.Minute

// Limits say what one client address may do, on this replica.
type Limits struct {
	// Rules are the limits by bucket; one that is not there, or zero, is none.
	Rules ratelimit.Rules
	// WideFactor is how many times the limit of an address its neighbourhood has; 0 for no
	// such limit.
	WideFactor int
	// Trusted are the networks of proxies whose X-Forwarded-For counts.
	Trusted []netip.Prefix
}

// maxWideFactor keeps the product with a limit a number that makes sense.
const maxWideFactor = 1000

// Validate returns all that is wrong, joined.
func (l Limits) Validate() error {
	var errs []error
	for bucket, limit := range l.Rules {
		if limit == (ratelimit.Limit{}) {
			continue
		}
		if err := limit.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("--rate-limit of %s: %w", bucket, err))
		}
	}
	if l.WideFactor < 0 || l.WideFactor > maxWideFactor {
		errs = append(errs, fmt.Errorf("--rate-limit-wide must be from 0 to %d", maxWideFactor))
	}
	return errors.Join(errs...)
}

// openLimits begins to count what clients do.
func (r *Replica) openLimits() ratelimit.Limiter {
	limits := ratelimit.NewMemory(ratelimit.Options{
		Rules: r.opts.Limits.Rules, WideFactor: r.opts.Limits.WideFactor,
		Memory: ratelimit.DefaultMemory, Clock: time.Now,
	})
	ctx, cancel := context.WithCancel(context.Background())
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		beat := time.NewTicker(limitSweepInterval)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				limits.Sweep()
			case <-ctx.Done():
				return
			}
		}
	}()
	r.undo.add("stop clearing limits up", func(context.Context) error {
		cancel()
		<-swept
		return nil
	})
	return limits
}
