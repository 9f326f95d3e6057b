package hotname

import (
	"context"
	"strings"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

const (
	// firstDelay is how long a name that is not on the list waits to be read, at most.
	firstDelay = 300 * time.Millisecond
	// maxPlans bounds the names that wait to be read, maxReads those that are read at
	// once, and readTimeout a read: longer than the store takes.
	maxPlans    = 1024
	maxReads    = 8
	readTimeout = 5 * time.Second
)

// plan is to read a hot name.
type plan struct {
	id        identifier.Identifier
	at        time.Duration
	reading   bool
	overtaken bool   // by a change, since reading began
	before    *entry // what was listed when it began
}

// clone is an identifier that shares no memory with a request.
func clone(id identifier.Identifier) identifier.Identifier {
	return identifier.Stored(id.Kind(), strings.Clone(id.Key()), strings.Clone(id.Canonical()), "")
}

// consider plans to read a name that is hot, if that is needed.
func (l *List) consider(id identifier.Identifier) {
	now := l.options.Clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	listed, wanted := l.wanted(id.Key(), now)
	if l.plans[id.Key()] != nil || !wanted {
		return
	}
	if len(l.plans) == maxPlans {
		l.Counters.Overrun.Add(1)
		return
	}
	p := &plan{id: id, at: now}
	if listed == nil {
		p.at += time.Duration(l.options.Random() * float64(firstDelay))
	}
	l.plans[id.Key()] = p
}

// wanted says whether a hot name is to be read, and what is listed of it.
func (l *List) wanted(key string, now time.Duration) (listed *entry, wanted bool) {
	e := l.table.find(l.hash(key), key)
	return e, e == nil || now >= e.renew
}

// due takes up the plans whose time has come, as many as may be read at once. Those that
// another replica was faster with are dropped.
func (l *List) due(now time.Duration) (list []*plan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, p := range l.plans {
		if p.reading || now < p.at {
			continue
		}
		listed, wanted := l.wanted(key, now)
		switch {
		case !wanted:
			delete(l.plans, key)
		case l.reading < maxReads:
			l.reading++
			p.reading, p.before = true, listed
			list = append(list, p)
		}
	}
	return list
}

// read carries a plan out.
func (l *List) read(ctx context.Context, p *plan) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	l.Counters.Reads.Add(1)
	sent := l.options.Clock() // before the read is sent, and so not too late
	s, err := l.options.Store.Lookup(ctx, p.id)
	l.settle(p, s, sent, err)
}

// settle lists what a read said.
func (l *List) settle(p *plan, s storage.Standing, sent time.Duration, err error) {
	now, key := l.options.Clock(), p.id.Key()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reading--
	delete(l.plans, key)
	switch {
	case err != nil:
		l.Counters.Failed.Add(1)
	case p.overtaken:
		l.Counters.Overtaken.Add(1)
	case s.Held == nil:
		l.Counters.Free.Add(1)
		if e := l.table.find(l.hash(key), key); e != nil && e == p.before {
			l.remove(e)
		}
	default:
		life, _ := lifeOf(s)
		if e := l.newEntry(s, sent+life); l.put(e, now) {
			l.announce(news{entry: e}, now)
		}
	}
}
