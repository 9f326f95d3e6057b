package shard

import (
	"sync"
	"sync/atomic"

	"namegate/bloomnet/bloom"
)

// Hints are names that may be about to be added. They only make answers less often
// Free. A hint lives for one to two generations. Any number of goroutines may use Hints.
type Hints struct {
	mu       sync.Mutex // of writers
	now, old atomic.Pointer[hintSet]
	limit    int
	refused  atomic.Uint64
}

// hintSet is one generation.
type hintSet struct {
	table atomic.Pointer[slots]
	used  int
}

// NewHints are for at most so many names a generation: what is beyond is left to the feed.
func NewHints(limit int) *Hints {
	h := &Hints{limit: limit}
	h.now.Store(newHintSet())
	h.old.Store(newHintSet())
	return h
}

func newHintSet() *hintSet {
	s := new(hintSet)
	table := make(slots, minSlots)
	s.table.Store(&table)
	return s
}

// Has says that a name was hinted at.
func (h *Hints) Has(name bloom.Hash) bool {
	name = tame(name)
	if _, found := h.now.Load().table.Load().find(name); found {
		return true
	}
	_, found := h.old.Load().table.Load().find(name)
	return found
}

// Add hints at a name.
func (h *Hints) Add(name bloom.Hash) {
	name = tame(name)
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.now.Load()
	at, found := s.table.Load().find(name)
	switch {
	case found:
	case s.used >= h.limit:
		h.refused.Add(1)
	default:
		s.table.Load().set(at, name)
		if s.used++; s.table.Load().crowded(s.used) {
			s.grow()
		}
	}
}

func (s *hintSet) grow() {
	old := s.table.Load()
	table := make(slots, 2*len(*old))
	for i := range *old {
		if h, here := old.hash(i); here {
			at, _ := table.find(h)
			table.set(at, h)
		}
	}
	s.table.Store(&table)
}

// Age begins a new generation. A reader may look at both sides of it: what it finds in
// neither was hinted at two generations ago, or after it began to look.
func (h *Hints) Age() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.old.Store(h.now.Load())
	h.now.Store(newHintSet())
}

// Refused is how many hints found no room.
func (h *Hints) Refused() uint64 { return h.refused.Load() }
