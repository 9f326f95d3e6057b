package ratelimit

import "time"

// sampled is how many windows are looked at for one to forget. Which ones is left to chance.
const sampled = 16

// makeRoom says whether there is room for one call more of a key, when need be by forgetting.
func (p *part) makeRoom(of key) bool {
	return p.bytes < p.most || p.shrink(of) && p.bytes < p.most
}

// shrink makes, of some windows that it looks at, all times of the largest one time, the
// newest: that keeps its client out for longer, but never lets it in sooner. Where all have
// but one, it forgets the one furthest from its limit; never one that is at it, nor the one
// that room is made for.
func (p *part) shrink(of key) bool {
	var idle, large key
	fill, size, seen := 1.0, windowBytes+stampBytes, 0
	for k, w := range p.windows {
		limit := p.limitOf(k)
		p.trim(w, limit)
		if f := float64(w.used) / float64(limit.Calls); f < fill && k != of {
			idle, fill = k, f
		}
		if s := w.size(); s > size {
			large, size = k, s
		}
		if seen++; seen == sampled || fill == 0 {
			break
		}
	}
	switch {
	case size > windowBytes+stampBytes && fill > 0:
		p.fold(p.windows[large])
	case fill < 1:
		p.forget(idle)
	default:
		return false
	}
	return true
}

// fold is that of a window, with its size kept account of.
func (p *part) fold(w *window) {
	p.bytes -= w.size()
	w.fold()
	p.bytes += w.size()
}

func (p *part) forget(k key) {
	p.bytes -= p.windows[k].size()
	delete(p.windows, k)
}

func (p *part) limitOf(k key) Limit {
	if k.kind == block4 || k.kind == site6 {
		return p.rules[k.bucket].wide
	}
	return p.rules[k.bucket].own
}

// paid says whether a call was charged for within OnceWindow.
func (p *part) paid(k onceKey) bool {
	until, ok := p.once[k]
	return ok && until > p.now
}

// callBytes is about what the memory of a call that may be sent again takes.
const callBytes = 160

// mostCalls is how many of those are remembered.
func (p *part) mostCalls() int { return p.most / 8 / callBytes }

// remember notes which calls were charged for. When there are too many, others go, by
// chance, which costs whoever sends them again one more charge.
func (p *part) remember(own key, charges []Charge) {
	for _, c := range charges {
		bucket := number(c.Bucket)
		if c.Once == "" || bucket < 0 || p.rules[bucket].own.Calls == 0 {
			continue
		}
		k := onceKey{own.of(bucket), c.Once}
		if p.paid(k) {
			continue
		}
		if len(p.once) >= p.mostCalls() {
			p.forgetCalls()
		}
		p.once[k] = p.now + OnceWindow
	}
}

// forgetCalls drops what has run out among some, and one of them at least.
func (p *part) forgetCalls() {
	var first *onceKey
	seen := 0
	for k, until := range p.once {
		if until <= p.now {
			delete(p.once, k)
		} else if first == nil {
			first = &k
		}
		if seen++; seen == sampled {
			break
		}
	}
	if len(p.once) >= p.mostCalls() && first != nil {
		delete(p.once, *first)
	}
}

// Sweep forgets all that has run out. It is for once in a while: what is forgotten here
// would be at need.
func (m *Memory) Sweep() {
	now := m.clock()
	for i := range m.parts {
		m.parts[i].sweep(now)
	}
}

func (p *part) sweep(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advance(now)
	for k, w := range p.windows {
		if p.trim(w, p.limitOf(k)); w.used == 0 {
			p.forget(k)
		}
	}
	for k, until := range p.once {
		if until <= p.now {
			delete(p.once, k)
		}
	}
}
