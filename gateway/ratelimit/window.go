package ratelimit

import "time"

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
		w.stamps = append(w.stamps[:0], w.stamps[w.first:]...)
		w.first = 0
	}
}

// add notes calls that are admitted now.
func (w *window) add(now time.Duration, calls int) {
	w.used += calls
	if last := len(w.stamps) - 1; last >= w.first && w.stamps[last].at == now {
		w.stamps[last].calls += calls
		return
	}
	w.stamps = append(w.stamps, stamp{now, calls})
}

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
