package rediscache

import "sync/atomic"

// maxFailures is how many calls in a row may fail before all keep away.
const maxFailures = 5

// breaker keeps callers away from a Redis that costs them time. It begins open.
type breaker struct {
	closed   atomic.Bool
	failures atomic.Int64
	opened   *atomic.Int64 // counts
}

// succeed forgets failures. It writes nothing that is so already: all callers share it.
func (b *breaker) succeed() {
	if b.failures.Load() != 0 {
		b.failures.Store(0)
	}
}

func (b *breaker) fail() {
	if b.failures.Add(1) >= maxFailures {
		b.open()
	}
}

func (b *breaker) open() {
	if b.closed.CompareAndSwap(true, false) {
		b.opened.Add(1)
	}
}

func (b *breaker) close() {
	b.failures.Store(0)
	b.closed.Store(true)
}
