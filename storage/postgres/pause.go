package postgres

import (
	"context"
	"math/rand/v2"
	"time"
)

// pause waits, unless the caller leaves.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pauses are how long a change waits before it tries again, about; then it gives up.
var pauses = []time.Duration{0, 10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond}

// pauseAbout waits for about d, so that those who met do not meet again.
func pauseAbout(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	return pause(ctx, d/2+rand.N(d))
}
