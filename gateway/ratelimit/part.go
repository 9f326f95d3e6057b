package ratelimit

import (
	"sync"
	"time"
)

// part is the windows of some clients. Its mutex guards all of it.
type part struct {
	mu      sync.Mutex
	rules   []rule
	windows map[key]*window
	bytes   int // of windows, as window.size reckons
	most    int // bytes
	once    map[onceKey]time.Duration

	now  time.Duration // only ever grows, so a clock that is set back makes nothing young
	read time.Time     // what the clock said when now was set
}

// onceKey is a call that a client was charged for.
type onceKey struct {
	client key
	call   string
}

func newPart(rules []rule, most int, now time.Time) part {
	return part{rules: rules, windows: map[key]*window{}, most: most, once: map[onceKey]time.Duration{}, read: now}
}

// advance takes the time that has passed. A step back of the clock is no time.
func (p *part) advance(now time.Time) {
	p.now += max(now.Sub(p.read), 0)
	p.read = now
}

// bill is what an operation costs, by bucket.
type bill [4]int

func (p *part) bill(own key, charges []Charge) (b bill) {
	for _, c := range charges {
		bucket := number(c.Bucket)
		switch {
		case bucket < 0:
		case c.Once != "" && p.paid(onceKey{own.of(bucket), c.Once}):
			b[number(Refused)]++
		default:
			b[bucket] += c.Cost
		}
	}
	return b
}

// take charges all or nothing.
func (p *part) take(own, wide key, charges []Charge) *Refusal {
	b := p.bill(own, charges)
	if refused := p.judge(own, wide, b); refused != nil {
		return refused
	}
	for bucket, cost := range b {
		if p.rules[bucket].own.Calls > 0 && cost > 0 {
			p.note(own.of(bucket), cost)
			if p.rules[bucket].wide.Calls > 0 {
				p.note(wide.of(bucket), cost)
			}
		}
	}
	p.remember(own, charges)
	return nil
}

// judge is the refusal that lasts longest; one for ever before all others.
func (p *part) judge(own, wide key, b bill) (worst *Refusal) {
	for bucket, cost := range b {
		for _, one := range []struct {
			key   key
			limit Limit
		}{{own, p.rules[bucket].own}, {wide, p.rules[bucket].wide}} {
			refused := p.refusal(one.key.of(bucket), one.limit, cost)
			if refused == nil {
				continue
			}
			refused.Bucket = Buckets()[bucket]
			if worst == nil || refused.TooDear() && !worst.TooDear() || refused.RetryAfter > worst.RetryAfter && !worst.TooDear() {
				worst = refused
			}
		}
	}
	return worst
}

func (p *part) refusal(k key, limit Limit, cost int) *Refusal {
	if limit.Calls == 0 || cost == 0 {
		return nil
	}
	if cost > limit.Calls {
		return &Refusal{Limit: limit, Cost: cost}
	}
	w := p.windows[k]
	if w == nil {
		return nil
	}
	p.trim(w, limit)
	if wait := w.wait(p.now, limit, cost); wait > 0 {
		return &Refusal{Limit: limit, Cost: cost, RetryAfter: wait}
	}
	return nil
}

// note counts calls. Where there is no room, those that a window has are taken for as young
// as the newest, which admits nothing more. A newcomer is not counted then, unless windows
// without their times would take less than half of it.
func (p *part) note(k key, cost int) {
	room := p.makeRoom(k)
	w := p.windows[k]
	switch {
	case w != nil:
		p.bytes -= w.size()
	case room || len(p.windows) < p.most/2/(windowBytes+stampBytes):
		w = new(window)
		p.windows[k] = w
	default:
		return
	}
	w.add(p.now, p.limitOf(k), cost)
	if !room {
		w.fold()
	}
	p.bytes += w.size()
}

// trim is that of a window, with its size kept account of.
func (p *part) trim(w *window, limit Limit) {
	p.bytes -= w.size()
	w.trim(p.now, limit.Per)
	p.bytes += w.size()
}

func (p *part) standing(own, wide key, bucket int, now time.Time) Standing {
	r := p.rules[bucket]
	s := Standing{Limit: r.own.Calls, Remaining: r.own.Calls, ResetAt: now}
	for _, one := range []struct {
		key   key
		limit Limit
	}{{own, r.own}, {wide, r.wide}} {
		w := p.windows[one.key.of(bucket)]
		if w == nil || one.limit.Calls == 0 {
			continue
		}
		p.trim(w, one.limit)
		s.Remaining = max(min(s.Remaining, one.limit.Calls-w.used), 0)
		if end := w.end(one.limit.Per); one.key == own && end > p.now {
			s.ResetAt = now.Add(end - p.now)
		}
	}
	return s
}
