package postgres

import (
	"context"
	"sync"
	"time"

	"namegate/storage"
)

// batcher gathers concurrent calls into batches.
type batcher[In, Out any] struct {
	// run does the work of one batch in one transaction; its outputs are in the
	// order of its inputs and are given out only when it returned no error.
	run func(context.Context, []In) ([]Out, error)
	// key says which row a call is about.
	key func(In) any
	// repeatable says that running a batch twice is as good as once, so that it
	// may run again when it is not known whether it was committed.
	repeatable bool
	timeout    time.Duration // of one run
	size       int           // calls in a batch, at most
	crowd      int           // calls that must wait for a batch beside one in flight
	limit      int           // calls that wait, at most

	mu      sync.Mutex
	wake    *sync.Cond // a batch is due, or the batcher is closed
	waiting []*call[In, Out]
	running int  // batches in flight
	silent  bool // the last one that ended was not answered
	closed  bool
	workers sync.WaitGroup
}

// call is one caller's part of a batch. out and err are set before done is closed.
type call[In, Out any] struct {
	ctx  context.Context
	in   In
	out  Out
	err  error
	done chan struct{}
}

// start runs batches, at most so many at a time, until close.
func (b *batcher[In, Out]) start(workers int) {
	b.wake = sync.NewCond(&b.mu)
	for range workers {
		b.workers.Go(func() {
			for calls := b.take(); calls != nil; calls = b.take() {
				b.settle(calls)
				b.landed()
			}
		})
	}
}

// close refuses new calls, lets those that wait go through and waits for that.
func (b *batcher[In, Out]) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.wake.Broadcast()
	b.workers.Wait()
}

// do adds a call and waits for its result, or for ctx; a call whose caller has
// left may still be done.
func (b *batcher[In, Out]) do(ctx context.Context, in In) (Out, error) {
	c := &call[In, Out]{ctx: ctx, in: in, done: make(chan struct{})}
	if err := b.add(c); err != nil {
		return c.out, err
	}
	select {
	case <-c.done:
		return c.out, c.err
	case <-ctx.Done():
		var none Out
		return none, ctx.Err()
	}
}

func (b *batcher[In, Out]) add(c *call[In, Out]) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return &storage.UnavailableError{RetryAfter: time.Second, Cause: errClosed}
	}
	if b.refuses() {
		return b.refusal()
	}
	if len(b.waiting) >= b.limit {
		return &storage.OverloadedError{RetryAfter: b.timeout}
	}
	b.waiting = append(b.waiting, c)
	if b.due() {
		b.wake.Signal()
	}
	return nil
}

// due says whether the next batch may begin: at once when none is in flight,
// else when many wait, as a row of a small batch costs several times as much.
func (b *batcher[In, Out]) due() bool {
	return len(b.waiting) >= b.crowd || len(b.waiting) > 0 && (b.running == 0 || b.closed)
}

// landed counts a batch that is no longer in flight.
func (b *batcher[In, Out]) landed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running--
}

// take waits until a batch is due and takes its calls; nil when the batcher is
// closed and empty.
func (b *batcher[In, Out]) take() []*call[In, Out] {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.due() {
		if b.closed {
			return nil
		}
		b.wake.Wait()
	}
	b.running++
	n := min(len(b.waiting), b.size)
	calls := make([]*call[In, Out], n)
	copy(calls, b.waiting)
	rest := copy(b.waiting, b.waiting[n:])
	clear(b.waiting[rest:])
	b.waiting = b.waiting[:rest]
	if b.due() {
		b.wake.Signal()
	}
	return calls
}

// settle runs a batch and gives every caller its result. Where one row may be
// what fails the others, the calls for each row run by themselves.
func (b *batcher[In, Out]) settle(calls []*call[In, Out]) {
	calls = b.present(calls)
	if len(calls) == 0 {
		return
	}
	outs, err := b.attempt(calls)
	if err != nil && isolates(err) {
		if rows := b.byRow(calls); len(rows) > 1 {
			for _, same := range rows {
				b.settle(same)
			}
			return
		}
	}
	for i, c := range calls {
		if err != nil {
			c.err = domainError(err)
		} else {
			c.out = outs[i]
		}
		close(c.done)
	}
}

// byRow splits a batch by the rows that its calls are about.
func (b *batcher[In, Out]) byRow(calls []*call[In, Out]) map[any][]*call[In, Out] {
	rows := map[any][]*call[In, Out]{}
	for _, c := range calls {
		key := b.key(c.in)
		rows[key] = append(rows[key], c)
	}
	return rows
}

// present drops the calls of callers who left before their batch began.
func (b *batcher[In, Out]) present(calls []*call[In, Out]) []*call[In, Out] {
	kept := calls[:0:0]
	for _, c := range calls {
		if c.ctx.Err() == nil {
			kept = append(kept, c)
		}
	}
	return kept
}

// attempts is how often a batch runs whole: twice more for a deadlock, a lost
// connection or a serialization failure.
const attempts = 3

func (b *batcher[In, Out]) attempt(calls []*call[In, Out]) ([]Out, error) {
	ins := make([]In, len(calls))
	for i, c := range calls {
		ins[i] = c.in
	}
	ctx, cancel := context.WithTimeout(context.Background(), b.timeout)
	defer cancel()
	for n := 1; ; n++ {
		outs, err := b.run(ctx, ins)
		if err == nil || n == attempts || ctx.Err() != nil || !b.again(err) {
			b.heard(err == nil || ctx.Err() == nil)
			return outs, err
		}
	}
}

func (b *batcher[In, Out]) again(err error) bool {
	return rolledBack(err) || b.repeatable && disconnected(err)
}
