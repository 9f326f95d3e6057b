package hotname

// Receive takes what another replica broadcasts, late or again or not.
func (l *List) Receive(payload []byte) {
	h, err := decode(payload)
	switch {
	case err != nil:
		l.Counters.Refused.Add(1)
	case l.heard(h):
		l.Counters.Received.Add(1)
	default:
		l.Counters.Old.Add(1)
	}
}

// heard says whether a message was news.
func (l *List) heard(h heard) bool {
	now, hash := l.options.Clock(), l.hash(h.key)
	l.mu.Lock()
	defer l.mu.Unlock()
	over := l.releases.of(hash).Compare(h.standing.Version) >= 0
	switch {
	case over:
		return false
	case h.standing.Held != nil:
		return l.put(l.newEntry(h.standing, now+h.left), now)
	}
	l.releases.note(hash, h.standing.Version, now)
	if l.end(hash, h.key, h.standing.Version) {
		l.Counters.Released.Add(1)
	}
	return true
}
