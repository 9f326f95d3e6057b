package hotname

import (
	"container/heap"
	"hash/maphash"
	"sync"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// List is the deny list of one replica. Its methods may be called at the same time.
type List struct {
	Counters Counters

	options Options
	seed    maphash.Seed
	sketch  sketch
	table   table
	hot     chan identifier.Identifier
	outbox  chan message

	mu       sync.Mutex // guards all below, and changes of the table
	ranking  ranking
	releases releases
	plans    map[string]*plan
	reading  int // of the plans
	news     []news
}

// What waits for Run, at most.
const (
	maxHot  = 1024
	maxSent = 1024
)

// New makes a List without names. It fails with what Options.Validate finds.
func New(o Options) (*List, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &List{
		options: o, seed: maphash.MakeSeed(), sketch: newSketch(o.Threshold),
		table: newTable(o.Entries), releases: newReleases(o.Entries, o.Clock()), plans: map[string]*plan{},
		hot: make(chan identifier.Identifier, maxHot), outbox: make(chan message, maxSent),
	}, nil
}

// hash is one that nobody can foresee.
func (l *List) hash(key string) uint64 { return maphash.String(l.seed, key) }

// Get gives what was read of a name on the list. It takes no lock.
func (l *List) Get(id identifier.Identifier) (storage.Standing, bool) {
	s, ok := l.peek(id)
	if ok {
		l.Counters.Hits.Add(1)
	}
	return s, ok
}

// Blocked says that a name is on the list and that an operator has blocked it.
func (l *List) Blocked(id identifier.Identifier) bool {
	s, ok := l.peek(id)
	return ok && s.Held.Blocked
}

func (l *List) peek(id identifier.Identifier) (storage.Standing, bool) {
	if id.Kind() != identifier.Username {
		return storage.Standing{}, false
	}
	e := l.table.find(l.hash(id.Key()), id.Key())
	if e == nil || l.options.Clock() >= e.end {
		return storage.Standing{}, false
	}
	return e.standing, true
}

// Saw counts that somebody was told that a name is held, by this list or anybody else.
func (l *List) Saw(id identifier.Identifier, s storage.Standing) {
	if s.Held == nil || id.Kind() != identifier.Username || !l.sketch.add(l.hash(id.Key())) {
		return
	}
	l.Counters.Hot.Add(1)
	select {
	case l.hot <- clone(id):
	default:
		l.Counters.Overrun.Add(1)
	}
}

// Len is how many names are on the list.
func (l *List) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.ranking)
}

// put lists an entry, and says whether that was news. The lock must be held.
func (l *List) put(e *entry, now time.Duration) bool {
	if now >= e.end {
		return false
	}
	if old := l.table.find(e.hash, e.key); old != nil {
		if !e.above(old) {
			return false
		}
		l.table.replace(old, e)
		e.rank = old.rank
		l.ranking[e.rank] = e
		heap.Fix(&l.ranking, e.rank)
		return true
	}
	if len(l.ranking) == l.options.Entries && !l.makeRoom(e) {
		return false
	}
	l.table.add(e)
	heap.Push(&l.ranking, e)
	return true
}

// makeRoom takes out the entry with the least life left, unless that is the new one.
func (l *List) makeRoom(e *entry) bool {
	l.Counters.Evicted.Add(1)
	least := l.ranking[0]
	if e.end <= least.end {
		return false
	}
	l.remove(least)
	return true
}

// remove takes an entry out. The lock must be held.
func (l *List) remove(e *entry) {
	l.table.replace(e, nil)
	heap.Remove(&l.ranking, e.rank)
}

// expire takes out what has come to its end.
func (l *List) expire(now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.ranking) > 0 && l.ranking[0].end <= now {
		l.remove(l.ranking[0])
		l.Counters.Expired.Add(1)
	}
	l.releases.age(now)
}
