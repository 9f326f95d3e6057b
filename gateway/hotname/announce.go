package hotname

import "time"

// announceAgain is how long after it was told of something is told of again, as messages
// get lost.
var announceAgain = [...]time.Duration{500 * time.Millisecond, 3 * time.Second}

// maxNews is how much is told of again at the same time.
const maxNews = 4096

// news is what others are told.
type news struct {
	entry   *entry  // nil for a release
	release message // which stays the same
	at      time.Duration
	times   int // that it was told of again
}

// message is what others are told of it; false when that is of no use any more, as the
// entry is not on the list.
func (l *List) message(n news, now time.Duration) (message, bool) {
	if n.entry == nil {
		return n.release, true
	}
	if l.table.find(n.entry.hash, n.entry.key) != n.entry {
		return message{}, false
	}
	payload, ok := n.entry.encode(now)
	return message{broadcastKey(n.entry.hash), payload}, ok
}

// announce has Run tell of something, and plans to do so again. What there is no room for
// is lost. The lock must be held.
func (l *List) announce(n news, now time.Duration) {
	m, ok := l.message(n, now)
	if !ok {
		return
	}
	select {
	case l.outbox <- m:
	default:
		l.Counters.Unsent.Add(1)
	}
	if len(l.news) < maxNews {
		n.at = now + announceAgain[0]
		l.news = append(l.news, n)
	}
}

// again are the messages that are due.
func (l *List) again(now time.Duration) (due []message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := l.news[:0]
	for _, n := range l.news {
		if now >= n.at {
			m, ok := l.message(n, now)
			if !ok {
				continue
			}
			due = append(due, m)
			if n.times++; n.times == len(announceAgain) {
				continue
			}
			n.at += announceAgain[n.times]
		}
		rest = append(rest, n)
	}
	clear(l.news[len(rest):])
	l.news = rest
	return due
}
