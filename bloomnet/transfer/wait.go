package transfer

import (
	"context"
	"io"
	"time"
)

// slots are places of which each holder takes one.
type slots chan struct{}

// try takes a place if one is free.
func (s slots) try() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

// wait takes a place as soon as one is free.
func (s slots) wait(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s slots) free() { <-s }

// closeWith closes c when ctx ends, until released. The release, which must be called
// once, waits for a close that is under way.
func closeWith(ctx context.Context, c io.Closer) (release func()) {
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		c.Close()
	})
	return func() {
		if !stop() {
			<-closed
		}
	}
}

// pause waits; false when ctx ended before.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
