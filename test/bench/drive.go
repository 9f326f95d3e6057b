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
	return driveAt(ctx, callers, 0, length, call)
}

// driveAt has callers begin so many calls a second in all, or as many as are done where
// that is 0. A call that begins late, as its caller's last one took too long, is counted
// from when it was to begin: whoever waits for a slow server waits for all of that.
func driveAt(ctx context.Context, callers int, rate float64, length time.Duration, call func(caller int) error) (sample, error) {
	records := make([]record, callers)
	begin := time.Now()
	end := begin.Add(length)
	var running sync.WaitGroup
	for i := range records {
		records[i].due = begin
		if rate > 0 {
			records[i].every = time.Duration(float64(callers) / rate * float64(time.Second))
			records[i].due = begin.Add(records[i].every * time.Duration(i) / time.Duration(callers))
		}
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
	due      time.Time     // of the next call
	every    time.Duration // from one call to the next; 0 for at once
}

func (r *record) repeat(ctx context.Context, end time.Time, call func() error) {
	for r.due.Before(end) && ctx.Err() == nil {
		begun := r.due
		if r.every > 0 {
			time.Sleep(time.Until(begun))
		}
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
		if r.due = done; r.every > 0 {
			r.due = begun.Add(r.every)
		}
	}
}
