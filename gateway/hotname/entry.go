package hotname

import (
	"strings"
	"sync/atomic"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

const (
	// MaxLife is how long an entry counts after its read was sent.
	MaxLife = time.Minute
	// travel is what is taken off for the way of a message, which mostly is a fraction of
	// a second.
	travel = 5 * time.Second
	// An entry is read anew at a random moment of renewSpan, which ends renewReserve before
	// the entry does, so that replicas do not do it at once.
	renewSpan, renewReserve = 15 * time.Second, 5 * time.Second
)

// entry is what one read said of a name that is held. It does not change.
type entry struct {
	key      string
	hash     uint64
	standing storage.Standing
	end      time.Duration // by the clock
	renew    time.Duration // from when on it is read anew, if it is hot

	next atomic.Pointer[entry] // of its chain in the table
	rank int                   // its index in the ranking
}

// lifeOf is how long a read counts from when it was sent, and whether that is less than
// it could be: another read will not make it longer.
func lifeOf(s storage.Standing) (life time.Duration, final bool) {
	if s.Held.Blocked || s.Held.ExpireAt.IsZero() {
		return MaxLife, false
	}
	left := s.Held.ExpireAt.Sub(s.AsOf)
	return min(left, MaxLife), left <= MaxLife
}

// newEntry makes an entry that counts until end. Of what is held it keeps what answers
// need: neither owner nor grant, and nothing that belongs to a request.
func (l *List) newEntry(s storage.Standing, end time.Duration) *entry {
	key := strings.Clone(s.Held.Identifier.Key())
	canonical := key
	if c := s.Held.Identifier.Canonical(); c != key {
		canonical = strings.Clone(c)
	}
	e := &entry{key: key, hash: l.hash(key), end: end, renew: end, standing: s}
	e.standing.Held = &storage.Holding{
		Identifier: identifier.Stored(identifier.Username, key, canonical, ""),
		State:      s.Held.State, Blocked: s.Held.Blocked, ExpireAt: s.Held.ExpireAt,
	}
	if _, final := lifeOf(s); !final {
		e.renew -= renewReserve + time.Duration(l.options.Random()*float64(renewSpan))
	}
	return e
}

// above says whether an entry stands above another one of its name.
func (e *entry) above(o *entry) bool {
	if order := e.standing.Version.Compare(o.standing.Version); order != 0 {
		return order > 0
	}
	if e.end != o.end {
		return e.end > o.end
	}
	return e.standing.AsOf.After(o.standing.AsOf)
}
