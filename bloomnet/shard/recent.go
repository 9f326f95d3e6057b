package shard

import (
	"sync/atomic"

	"namegate/bloomnet/bloom"
)

// recent is a shard's recent layer, for one writer and any number of readers.
type recent struct {
	table atomic.Pointer[slots]
	// added belongs to the writer: how the name of each slot came in.
	added   []added
	used    int // slots that are not empty
	live    int // names
	lasting int // names that are not reserved
}

// added says how a name came into the recent layer. It is small, as there may be
// millions.
type added struct {
	at       uint64 // a position that includes the add
	epoch    uint32
	database uint16
	reserved bool
}

func newRecent(names int) *recent {
	r := new(recent)
	r.resize(sizeFor(names))
	return r
}

// entry is the form in which others get it.
func (a added) entry(h bloom.Hash) Entry {
	return Entry{Hash: h, Epoch: uint64(a.epoch), Database: int(a.database), At: a.at, Reserved: a.reserved}
}

func (e Entry) added() added {
	return added{at: e.At, epoch: uint32(e.Epoch), database: uint16(e.Database), reserved: e.Reserved}
}

// has may be called by anybody at any time.
func (r *recent) has(h bloom.Hash) bool {
	_, found := r.table.Load().find(tame(h))
	return found
}

// put adds a name, or notes what it has become. An add of an earlier epoch, or of an
// earlier position, does not replace a later one.
func (r *recent) put(h bloom.Hash, a added) {
	h = tame(h)
	at, found := r.table.Load().find(h)
	if found {
		if !a.replaces(r.added[at]) {
			return
		}
		r.count(r.added[at], -1)
	} else {
		r.table.Load().set(at, h)
		r.used++
	}
	r.added[at] = a
	r.count(a, 1)
	if r.table.Load().crowded(r.used) {
		r.resize(sizeFor(r.live))
	}
}

func (a added) replaces(old added) bool {
	return a.epoch > old.epoch || a.epoch == old.epoch && (a.database != old.database || a.at >= old.at)
}

// drop takes a name out, unless it was added in a later epoch than the given one. It
// says whether the name was there.
func (r *recent) drop(h bloom.Hash, epoch uint32) (was bool) {
	at, found := r.table.Load().find(tame(h))
	if !found || r.added[at].epoch > epoch {
		return found
	}
	(*r.table.Load())[at].lo.Store(slotDead)
	r.count(r.added[at], -1)
	return true
}

func (r *recent) count(a added, by int) {
	r.live += by
	if !a.reserved {
		r.lasting += by
	}
}

// resize makes a table of a size, without the dead slots. Readers who have the old one
// began before what it will not get.
func (r *recent) resize(size int) {
	table, kept := make(slots, size), make([]added, size)
	if old := r.table.Load(); old != nil {
		for i := range *old {
			if h, here := old.hash(i); here {
				at, _ := table.find(h)
				table.set(at, h)
				kept[at] = r.added[i]
			}
		}
	}
	r.added, r.used = kept, r.live
	r.table.Store(&table)
}

// each calls f with every name.
func (r *recent) each(f func(bloom.Hash, added)) {
	table := r.table.Load()
	for i := range *table {
		if h, here := table.hash(i); here {
			f(h, r.added[i])
		}
	}
}

// entries are all names, in no order.
func (r *recent) entries() []Entry {
	list := make([]Entry, 0, r.live)
	r.each(func(h bloom.Hash, a added) {
		list = append(list, a.entry(h))
	})
	return list
}

// after is a copy without what an image covers.
func (r *recent) after(c covered) *recent {
	next := newRecent(0)
	r.each(func(h bloom.Hash, a added) {
		if !c.covers(a) {
			next.put(h, a)
		}
	})
	return next
}
