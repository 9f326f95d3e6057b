package hotname

import (
	"namegate/storage"
	"namegate/storage/identifier"
)

// Names are those on the list.
func (l *List) Names() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	names := make([]string, len(l.ranking))
	for i, e := range l.ranking {
		names[i] = e.key
	}
	return names
}

// Peek is Get, and counts nothing.
func (l *List) Peek(id identifier.Identifier) (storage.Standing, bool) { return l.peek(id) }

// Drop takes names off this replica's list. They come again when they are hot.
func (l *List) Drop(ids ...identifier.Identifier) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		if e := l.table.find(l.hash(id.Key()), id.Key()); e != nil {
			l.remove(e)
		}
	}
}
