package app

import (
	"context"
	"math/rand/v2"
	"time"

	"namegate/bloomnet"
	"namegate/gateway/cache"
	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

// lookupTimeout is longer than any read of the store takes.
const lookupTimeout = 5 * time.Second

// openCache makes the replica's own cache of what below says.
func (r *Replica) openCache(below cache.Below) (registry.Cache, error) {
	l := r.opts.Layers
	if l.CacheEntries == 0 {
		return unremembered{below}, nil
	}
	c, err := cache.New(below, cache.Options{
		Entries: l.CacheEntries, TTL: l.CacheTTL, Staleness: r.opts.Filter.Staleness, ReadTimeout: lookupTimeout,
		Clock:  sinceBoot,
		Random: rand.Float64,
	})
	if err != nil {
		return nil, err
	}
	r.undo.add("wait for reads of the cache", func(context.Context) error {
		c.Close()
		return nil
	})
	return c, nil
}

// sinceBoot is a clock that nobody sets, and that goes on while the machine sleeps.
func sinceBoot() time.Duration { return bloomnet.Now().Boot }

// unremembered asks below each time.
type unremembered struct{ cache.Below }

func (unremembered) Get(identifier.Identifier) (storage.Standing, bool) {
	return storage.Standing{}, false
}
func (unremembered) Expect(identifier.Identifier) {}
