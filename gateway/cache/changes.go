package cache

import (
	"hash/maphash"
	"sync/atomic"
)

// changes count the changes of names, by a hash of them that nobody can foresee.
type changes struct {
	seed   maphash.Seed
	counts *[1 << 16]atomic.Uint64
}

func newChanges() changes {
	return changes{maphash.MakeSeed(), new([1 << 16]atomic.Uint64)}
}

func (c *changes) hash(key string) uint64 { return maphash.String(c.seed, key) }

func (c *changes) of(key string) *atomic.Uint64 {
	return &c.counts[c.hash(key)%uint64(len(c.counts))]
}

// all counts a change of every name.
func (c *changes) all() {
	for i := range c.counts {
		c.counts[i].Add(1)
	}
}
