package cache

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
)

// Cache remembers usernames. Its methods may be called at the same time.
type Cache struct {
	Counters Counters

	below   Below
	options Options
	entries *otter.Cache[string, entry]
	changes changes
	flights [flightShards]flights
	reading sync.WaitGroup
}

var _ registry.Cache = (*Cache)(nil)

// Counters count since the Cache was made.
type Counters struct {
	Hits, Misses atomic.Uint64 // of Get
	Reads        atomic.Uint64 // that were begun
	Joined       atomic.Uint64 // callers who got the answer of another one's read, which they had not found yet
	Dropped      atomic.Uint64 // reads that are not remembered, for a change meanwhile
}

// entry is what is known of one name.
type entry struct {
	storage.Standing
	end time.Duration // by the clock
}

// New makes a Cache of what below says. It fails with what Options.Validate finds.
func New(below Below, o Options) (*Cache, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	entries, err := otter.New(&otter.Options[string, entry]{MaximumSize: o.Entries})
	if err != nil {
		return nil, err
	}
	c := &Cache{below: below, options: o, entries: entries, changes: newChanges()}
	for i := range c.flights {
		c.flights[i].list = map[string]*flight{}
	}
	return c, nil
}

// Close waits for the reads that were begun.
func (c *Cache) Close() {
	c.reading.Wait()
	c.entries.StopAllGoroutines()
}

// Get gives what is remembered of a name.
func (c *Cache) Get(id identifier.Identifier) (storage.Standing, bool) {
	e, ok := c.get(id.Key())
	if !ok {
		c.Counters.Misses.Add(1)
		return storage.Standing{}, false
	}
	c.Counters.Hits.Add(1)
	return e.Standing, true
}

// get gives an entry that counts.
func (c *Cache) get(key string) (entry, bool) {
	e, ok := c.entries.GetIfPresent(key)
	return e, ok && c.options.Clock() < e.end
}

// Expect notes that a name is about to change here.
func (c *Cache) Expect(id identifier.Identifier) { c.drop(id.Key()) }

// Changed notes that a name has just been changed here. What is below is told first: what
// is read of it in between is then dropped, too.
func (c *Cache) Changed(ctx context.Context, id identifier.Identifier) {
	c.below.Changed(ctx, id)
	c.drop(id.Key())
}

// Apply notes what has changed, maybe again.
func (c *Cache) Apply(events []feed.Event) {
	for _, e := range events {
		if e.Kind == identifier.Username {
			c.drop(e.Key)
		}
	}
}

// drop counts first: a read that ends in between then sees that it must not be remembered.
func (c *Cache) drop(key string) {
	c.changes.of(key).Add(1)
	c.entries.Invalidate(key)
}

// Forget forgets everything, as changes may have been missed.
func (c *Cache) Forget() {
	c.changes.all()
	c.entries.InvalidateAll()
}

// remember keeps what a read said that was sent at a time, when the name had been changed
// so many times.
func (c *Cache) remember(key string, f registry.Found, sent time.Duration, changed uint64) {
	end, worth := c.endOf(f, sent)
	if !worth {
		return
	}
	key = strings.Clone(key) // it may be a part of a request
	c.entries.Set(key, entry{f.Standing, end})
	if c.changes.of(key).Load() != changed {
		c.entries.Invalidate(key)
		c.Counters.Dropped.Add(1)
	}
}

// endOf is until when a read counts, if it is worth to be remembered.
func (c *Cache) endOf(f registry.Found, sent time.Duration) (end time.Duration, worth bool) {
	if f.Held == nil {
		return sent + c.options.Staleness, f.Layer == registry.LayerDatabase
	}
	end = sent + c.options.TTL - time.Duration(c.options.Random()*float64(c.options.TTL)/5)
	if f.Held.ExpireAt.IsZero() || f.Held.Blocked {
		return end, true
	}
	return min(end, sent+f.Held.ExpireAt.Sub(f.AsOf)), f.Layer == registry.LayerDatabase
}
