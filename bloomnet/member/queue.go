package member

import (
	"errors"
	"math"
	"sync"
)

// Class is how urgent a broadcast is: of each packet, the more urgent take what they need.
type Class byte

// Urgent before Normal before Bulk.
const (
	Urgent Class = iota + 1
	Normal
	Bulk
)

func (c Class) valid() bool { return Urgent <= c && c <= Bulk }

// ErrFull refuses a broadcast while more urgent ones fill the queue.
var ErrFull = errors.New("the broadcast queue is full of more urgent messages")

// Bounds of a queue, and of what one packet takes of it: memberlist counts the parts of
// some packets in a byte, and loses all of them beyond 255.
const (
	maxQueued = 4096 // so less than 5 MB
	maxParts  = 200
)

// queue holds the broadcasts to send. Within a class each waits for its turn, is sent,
// and waits again, so that an overload delays all alike. A message of a key takes the
// place of an older one.
type queue struct {
	drops *tally

	mu    sync.Mutex // guards all below
	rings [Bulk]ring // by class, from the most urgent
	keyed map[string]*broadcast
	size  int
}

func newQueue(drops *tally) *queue {
	q := &queue{drops: drops, keyed: map[string]*broadcast{}}
	for class := range q.rings {
		q.rings[class].slots = make([]*broadcast, maxQueued)
	}
	return q
}

// transmits is how many times a replica of n sends a broadcast; each passes it on, so
// ln n rounds reach all. memberlist's own number, a multiple of the rounded log10, jumps
// at powers of ten, and just below one some percent of the messages miss a replica.
func transmits(n int) int { return int(math.Ceil(math.Log(float64(max(n, 1))))) + 6 }

func (q *queue) put(class Class, b *broadcast) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if old, ok := q.keyed[b.key]; ok {
		if b.replaces(old) {
			*old = *b
		}
		return nil
	}
	if q.size == maxQueued && !q.drop(class) {
		return ErrFull
	}
	q.rings[class-1].push(b)
	q.size++
	if b.key != "" {
		q.keyed[b.key] = b
	}
	return nil
}

// drop makes room for a message of a class: of the least urgent ones, not above its
// own, that which has waited the longest. A digest tells what it would have told.
func (q *queue) drop(class Class) bool {
	for least := Bulk; least >= class; least-- {
		if r := &q.rings[least-1]; r.size > 0 {
			q.forget(r.pop())
			q.drops.add(droppedQueued)
			return true
		}
	}
	return false
}

func (q *queue) forget(b *broadcast) {
	q.size--
	if b.key != "" {
		delete(q.keyed, b.key)
	}
}

// take gives messages for one packet, which together, each with an overhead, are never
// more than limit. Of a class it stops at the first that does not fit: that one is the
// first in the next packet.
func (q *queue) take(overhead, limit int) [][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.size == 0 {
		return nil
	}
	taken := make([][]byte, 0, 16)
	for class := range q.rings {
		r := &q.rings[class]
		for range r.size {
			need := overhead + len(r.front().message)
			if need > limit || len(taken) == maxParts {
				break
			}
			limit -= need
			taken = append(taken, q.send(r))
		}
	}
	return taken
}

// send takes one turn of the front message.
func (q *queue) send(r *ring) []byte {
	b := r.pop()
	b.left--
	if b.left > 0 {
		r.push(b)
	} else {
		q.forget(b)
	}
	return b.message
}
