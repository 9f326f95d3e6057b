package registry

import (
	"context"
	"errors"
	"time"

	"namegate/storage"
)

// pauses are the times between the attempts of a caller that loses an identifier
// to somebody's reservation, which may be given back or come to nothing at any
// moment. They are short against what a person notices.
var pauses = []time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond}

// persist does what may lose to a reservation, again and again until it does not,
// the pauses are used up, or the context ends. What is Active, Protected or blocked is
// not waited for. Where there is no place for another attempt, the last one has answered.
func persist[T any](ctx context.Context, r *Registry, do func() (T, error)) (T, error) {
	result, err := do()
	for _, pause := range pauses {
		if !lostToReservation(err) || r.opts.Sleep(ctx, r.jitter(pause)) != nil {
			break
		}
		again, failure := do()
		if errors.Is(failure, errShut) {
			break
		}
		result, err = again, failure
	}
	return result, err
}

func lostToReservation(err error) bool {
	held, ok := errors.AsType[*storage.HeldError](err)
	return ok && held.Holding.State == storage.Reserved && !held.Holding.Blocked
}

// jitter is d, give or take a half, so that those who lost together do not come
// back together.
func (r *Registry) jitter(d time.Duration) time.Duration {
	return time.Duration((0.5 + r.opts.Random()) * float64(d))
}

// Sleep waits for d. It fails with the context's error when that ends before.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
