package hotname

import "sync/atomic"

// table finds entries by name: chains that whoever reads walks without a lock. One
// goroutine at a time changes them. An entry that was taken out still leads on to what
// came after it, as it is never put in again.
type table struct {
	chains []atomic.Pointer[entry] // a power of two
}

func newTable(entries int) table {
	size := 1
	for size < entries {
		size *= 2
	}
	return table{make([]atomic.Pointer[entry], size)}
}

func (t table) chain(hash uint64) *atomic.Pointer[entry] {
	return &t.chains[hash&uint64(len(t.chains)-1)]
}

// find gives the entry of a name, or nil.
func (t table) find(hash uint64, key string) *entry {
	e := t.chain(hash).Load()
	for e != nil && (e.hash != hash || e.key != key) {
		e = e.next.Load()
	}
	return e
}

// add puts an entry in, of a name that has none.
func (t table) add(e *entry) {
	chain := t.chain(e.hash)
	e.next.Store(chain.Load())
	chain.Store(e)
}

// replace puts an entry in the place of one that is there; nil takes that one out.
func (t table) replace(old, e *entry) {
	rest := old.next.Load()
	if e != nil {
		e.next.Store(rest)
		rest = e
	}
	at := t.chain(old.hash)
	for at.Load() != old {
		at = &at.Load().next
	}
	at.Store(rest)
}
