package ratelimit

import "time"

// sampled is how many windows are looked at for one to forget. Which ones is left to chance.
const sampled = 16

// makeRoom says whether there is room for a window, when need be by forgetting what has run
// out or, of those that it looks at, the one furthest from its limit. One that is at its
// limit is never forgotten: then the newcomer is not counted, but for its neighbourhood.
func (p *part) makeRoom() bool {
	if len(p.windows) < p.most {
		return true
	}
	var best key
	fill, seen := 1.0, 0
	for k, w := range p.windows {
		limit := p.limitOf(k)
		w.trim(p.now, limit.Per)
		if f := float64(w.used) / float64(limit.Calls); f < fill {
			best, fill = k, f
		}
		if seen++; seen == sampled || fill == 0 {
			break
		}
	}
	if fill == 1 {
		return false
	}
	delete(p.windows, best)
	return true
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

// remember notes which calls were charged for. There are no more of them than windows:
// others go, by chance, which costs whoever sends them again one more charge.
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
		if len(p.once) >= p.most {
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
	if len(p.once) >= p.most && first != nil {
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
		if w.trim(p.now, p.limitOf(k).Per); w.used == 0 {
			delete(p.windows, k)
		}
	}
	for k, until := range p.once {
		if until <= p.now {
			delete(p.once, k)
		}
	}
}
