package member

import "sync"

// windowSize is how far back a sequence number is known to have been seen.
const windowSize = 1024

// window remembers which of the last numbers of a sequence were seen.
type window struct {
	newest uint64
	seen   [windowSize / 64]uint64
}

// first says whether a number is seen for the first time. One that is older than the
// window counts as seen.
func (w *window) first(n uint64) bool {
	if n > w.newest {
		w.advance(n)
	} else if w.newest-n >= windowSize || w.has(n) {
		return false
	}
	w.seen[n%windowSize/64] |= 1 << (n % 64)
	return true
}

func (w *window) has(n uint64) bool { return w.seen[n%windowSize/64]&(1<<(n%64)) != 0 }

func (w *window) advance(n uint64) {
	if n-w.newest >= windowSize {
		w.seen = [windowSize / 64]uint64{}
	} else {
		for between := w.newest + 1; between < n; between++ {
			w.seen[between%windowSize/64] &^= 1 << (between % 64)
		}
	}
	w.newest = n
}

// windows are those of an origin, by sequence.
type windows [sequences]window

// maxOrigins bounds a generation; both together take less than 1 MB.
const maxOrigins = 1024

// history recognises repeats. It keeps the origins heard of last, in two generations:
// when the young one is full it becomes the old one, and the old one is forgotten.
type history struct {
	mu         sync.Mutex
	young, old map[Origin]*windows
}

func newHistory() *history { return &history{young: map[Origin]*windows{}} }

// first says whether a message is seen for the first time.
func (h *history) first(o Origin, p plane, n uint64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.origin(o)[p.sequence()].first(n)
}

func (h *history) origin(o Origin) *windows {
	if s, ok := h.young[o]; ok {
		return s
	}
	s, ok := h.old[o]
	if !ok {
		s = new(windows)
	}
	if len(h.young) >= maxOrigins {
		h.young, h.old = map[Origin]*windows{}, h.young
	}
	h.young[o] = s
	return s
}
