package bloomnet

import (
	"sync"
	"time"
)

const (
	// minRetry and maxRetry bound the pause before a shard that could not be pulled is
	// pulled again; it doubles.
	minRetry = pullInterval
	maxRetry = 8 * time.Second
	// pullPatience is after how long an owner does not wait any longer for the image that
	// others tell of, and lonePatience after how long another replica does not.
	pullPatience = 10 * time.Second
	lonePatience = time.Minute
)

func patienceOf(owner bool) time.Duration {
	if owner {
		return pullPatience
	}
	return lonePatience
}

// troubles are the shards of which others have newer bases that this replica has not got.
type troubles struct {
	mu   sync.Mutex
	of   map[int]trouble
	went time.Time // when the last pull succeeded
}

type trouble struct {
	since, next time.Time
	pause       time.Duration // 0 until a pull fails
}

// begin notes that a shard is wanted, and says whether it is to be pulled now.
func (t *troubles) begin(number int, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.of[number]; !known {
		t.of[number] = trouble{since: now}
	}
	return !now.Before(t.of[number].next)
}

// fail puts the next pull off.
func (t *troubles) fail(number int, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.of[number]
	one.pause = min(max(2*one.pause, minRetry), maxRetry)
	one.next = now.Add(one.pause)
	t.of[number] = one
}

// succeed notes that a shard was got.
func (t *troubles) succeed(number int, now time.Time) {
	t.end(number)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.went = now
}

// end notes that a shard is not wanted any more.
func (t *troubles) end(number int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, number)
}

// lasts says that a shard is wanted in vain for too long. While others come, one that was
// not tried yet waits for its turn.
func (t *troubles) lasts(number int, now time.Time, patience time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	one, wanted := t.of[number]
	stuck := one.pause > 0 || now.Sub(t.went) > patience
	return wanted && stuck && now.Sub(one.since) > patience
}
