package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// callError is what went wrong with one call, after which its caller can go on.
type callError struct{ error }

func (e callError) Unwrap() error { return e.error }

// drive has callers repeat a call for a time, each as soon as its last one is
// done. It fails when any call did, also one that ended too late to count.
func drive(ctx context.Context, callers int, length time.Duration, call func(caller int) error) (sample, error) {
	records := make([]record, callers)
	end := time.Now().Add(length)
	var running sync.WaitGroup
	for i := range records {
		running.Go(func() { records[i].repeat(ctx, end, func() error { return call(i) }) })
	}
	running.Wait()
	if err := context.Cause(ctx); err != nil {
		return sample{}, err
	}
	var took []time.Duration
	var failures []error
	for _, r := range records {
		took = append(took, r.took...)
		failures = append(failures, r.failures...)
	}
	if len(failures) > 0 {
		return sample{}, fmt.Errorf("%d calls failed beside %d that did not; the first: %w", len(failures), len(took), failures[0])
	}
	return summarise(took, length)
}

// record is what became of one caller's calls.
type record struct {
	took     []time.Duration // of those that ended in time
	failures []error
}

func (r *record) repeat(ctx context.Context, end time.Time, call func() error) {
	begun := time.Now()
	for begun.Before(end) && ctx.Err() == nil {
		err := call()
		done := time.Now()
		switch {
		case err != nil:
			r.failures = append(r.failures, err)
			if !errors.As(err, new(callError)) {
				return
			}
		case !done.After(end):
			r.took = append(r.took, done.Sub(begun))
		}
		begun = done
	}
}
