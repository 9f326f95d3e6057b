package shard

import (
	"sync/atomic"

	"namegate/bloomnet/bloom"
)

// slots is an exact set of hashes for one writer and any number of readers, who take no
// lock: open addressing with linear probing. What a reader misses was added after it
// began to look.
type slots []slot

// slot holds a hash once its low half is there.
type slot struct{ hi, lo atomic.Uint64 }

// Values of a slot's low half that are no hash.
const (
	slotEmpty = 0
	slotDead  = 1
)

// minSlots is the size of the smallest set; all sizes are powers of two.
const minSlots = 8

// sizeFor is a size of which so many hashes fill at most a half.
func sizeFor(hashes int) int {
	size := minSlots
	for size < 2*hashes {
		size *= 2
	}
	return size
}

// crowded says that so many used slots, the dead ones included, make probes long.
func (s slots) crowded(used int) bool { return used*4 > len(s)*3 }

// tame keeps hashes off the values that mark slots. That two hashes become one by it
// is as likely as that they were one before.
func tame(h bloom.Hash) bloom.Hash {
	if h.Lo <= slotDead {
		h.Lo += 2
	}
	return h
}

// find gives the slot of a tame hash, or the empty one where its run ends.
func (s slots) find(h bloom.Hash) (at int, found bool) {
	mask := uint64(len(s) - 1)
	for i := h.Hi & mask; ; i = (i + 1) & mask {
		switch s[i].lo.Load() {
		case slotEmpty:
			return int(i), false
		case h.Lo:
			if s[i].hi.Load() == h.Hi {
				return int(i), true
			}
		}
	}
}

// set puts a hash into an empty slot.
func (s slots) set(at int, h bloom.Hash) {
	s[at].hi.Store(h.Hi)
	s[at].lo.Store(h.Lo)
}

// hash is that of a slot; false when it has none.
func (s slots) hash(at int) (bloom.Hash, bool) {
	h := bloom.Hash{Hi: s[at].hi.Load(), Lo: s[at].lo.Load()}
	return h, h.Lo > slotDead
}
