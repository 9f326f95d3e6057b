package hotname

import (
	"time"

	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
)

// causeUnblock is the cause of the event that a block has ended. The name may be free
// then without its row having gone, as it had run out meanwhile.
const causeUnblock = "UNBLOCK"

// Apply is told of changes, maybe more than once of the same.
func (l *List) Apply(events []feed.Event) {
	now := l.options.Clock()
	for i := range events {
		e := &events[i]
		switch {
		case e.Kind != identifier.Username:
		case e.Change == feed.Went || e.Cause == causeUnblock:
			l.released(e.Key, e.Version(), now)
		default:
			l.changed(e.Key, e.Version())
		}
	}
}

// Forget takes everything off the list, as changes may have been missed.
func (l *List) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.ranking {
		l.table.replace(e, nil)
	}
	l.ranking = nil
	for _, p := range l.plans {
		p.overtaken = p.reading
	}
}

// changed ends an entry. The lock is taken for each event, as there may be many.
func (l *List) changed(key string, v storage.Version) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end(l.hash(key), key, v) {
		l.Counters.Changed.Add(1)
	}
}

// released ends an entry, and tells the others.
func (l *List) released(key string, v storage.Version, now time.Duration) {
	hash := l.hash(key)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.releases.note(hash, v, now)
	if l.end(hash, key, v) {
		l.Counters.Released.Add(1)
		l.announce(news{release: message{broadcastKey(hash), encodeRelease(key, v)}}, now)
	}
}

// end takes a name off the list if what is known of it is older than a version, and says
// whether it was there. A read that is under way may be older, too. The lock must be held.
func (l *List) end(hash uint64, key string, v storage.Version) bool {
	if p := l.plans[key]; p != nil {
		p.overtaken = p.reading
	}
	e := l.table.find(hash, key)
	if e == nil || e.standing.Version.Compare(v) >= 0 {
		return false
	}
	l.remove(e)
	return true
}
