package ratelimit

import (
	"slices"
	"time"
)

// window is what one key was admitted within the length of its limit. Times are those of
// its part, which never go back.
type window struct {
	stamps []stamp // in order of time; from first on they count
	first  int
	used   int // sum of what counts
}

type stamp struct {
	at    time.Duration
	calls int
}

// trim forgets what is as old as the limit's length: the window that ends now begins after it.
func (w *window) trim(now, per time.Duration) {
	for w.first < len(w.stamps) && w.stamps[w.first].at+per <= now {
		w.used -= w.stamps[w.first].calls
		w.first++
	}
	if w.first > len(w.stamps)/2 {
		w.keep(w.stamps[w.first:])
	}
}

// keep makes some stamps all that there are, in memory that is no larger than they need.
func (w *window) keep(stamps []stamp) {
	w.stamps, w.first = slices.Clone(stamps), 0
}

// granules is how many stamps a window takes at most; a limit of no more calls is exact.
const granules = 1024

// granule is how close to each other calls of a limit are taken for one time.
func granule(limit Limit) time.Duration {
	if limit.Calls <= granules {
		return 1
	}
	return limit.Per / granules
}

// add notes calls that are admitted now. Those of one granule count as of its last, so that
// no window ever admits more.
func (w *window) add(now time.Duration, limit Limit, calls int) {
	w.used += calls
	g := granule(limit)
	if last := len(w.stamps) - 1; last >= w.first && w.stamps[last].at/g == now/g {
		w.stamps[last] = stamp{now, w.stamps[last].calls + calls}
		return
	}
	w.stamps = append(w.stamps, stamp{now, calls})
}

// fold takes all that counts for as young as the newest of it.
func (w *window) fold() {
	if w.used > 0 {
		w.keep([]stamp{{w.stamps[len(w.stamps)-1].at, w.used}})
	}
}

// windowBytes is about what a window takes beside its stamps, with its place in a map, and
// stampBytes what each of those does.
const windowBytes, stampBytes = 152, 16

func (w *window) size() int { return windowBytes + stampBytes*cap(w.stamps) }

// wait is how long until some calls are admitted, which must not be more than the limit.
func (w *window) wait(now time.Duration, limit Limit, calls int) time.Duration {
	over := w.used + calls - limit.Calls
	if over <= 0 {
		return 0
	}
	for _, s := range w.stamps[w.first:] {
		if over -= s.calls; over <= 0 {
			return s.at + limit.Per - now
		}
	}
	return limit.Per
}

// end is when nothing counts any more.
func (w *window) end(per time.Duration) time.Duration {
	if w.first == len(w.stamps) {
		return 0
	}
	return w.stamps[len(w.stamps)-1].at + per
}
