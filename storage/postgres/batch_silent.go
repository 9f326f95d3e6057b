package postgres

import (
	"errors"

	"namegate/storage"
)

// errSilent says that a database is not asked, as it answered nothing of late.
var errSilent = errors.New("the database does not answer")

// heard notes whether a batch was answered in its time, be it by an error. While none is,
// calls do not wait for it in turn, each for as long as it takes: one batch at a time
// finds out whether the database is back, and the rest is refused at once. What waits has
// not been sent.
func (b *batcher[In, Out]) heard(answered bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.silent = !answered
	if answered {
		return
	}
	for _, c := range b.waiting {
		c.err = b.refusal()
		close(c.done)
	}
	clear(b.waiting)
	b.waiting = b.waiting[:0]
}

// refuses says that a batch is finding out whether the database is back. The lock must be held.
func (b *batcher[In, Out]) refuses() bool { return b.silent && b.running+len(b.waiting) > 0 }

func (b *batcher[In, Out]) refusal() error {
	return &storage.UnavailableError{RetryAfter: retryAfter, Cause: errSilent}
}
