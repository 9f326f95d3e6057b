package cache

import (
	"context"
	"sync"
	"time"

	"namegate/gateway/registry"
	"namegate/storage/identifier"
)

// Below is who is asked for what is not remembered. It fails with the errors of
// storage.Reader.
type Below interface {
	Lookup(ctx context.Context, id identifier.Identifier) (registry.Found, error)
	// Changed is told of a change that was made here, before the change is answered.
	Changed(ctx context.Context, id identifier.Identifier)
}

// flightShards keeps callers of different names apart.
const flightShards = 64

// flights are the reads under way that callers may join, by name.
type flights struct {
	mu   sync.Mutex
	list map[string]*flight
}

// flight is one read. What it found may be read when done is closed.
type flight struct {
	sent    time.Duration
	changed uint64 // how often the name had been changed before
	done    chan struct{}
	found   registry.Found
	err     error
}

// Lookup asks below, once for all who ask at the same time, unless the answer is remembered
// by now. Whoever leaves takes nobody's answer away: the read goes on, and is remembered.
func (c *Cache) Lookup(ctx context.Context, id identifier.Identifier) (registry.Found, error) {
	f, joined := c.board(ctx, id)
	select {
	case <-f.done:
	case <-ctx.Done():
		return registry.Found{}, ctx.Err()
	}
	if joined && f.err == nil && f.found.Held == nil && f.found.Layer != registry.LayerDatabase {
		// It may have been within the bound for the one who asked first alone.
		return c.below.Lookup(ctx, id)
	}
	return f.found, f.err
}

// board gives the read to wait for: one under way, one that has ended since the caller
// looked for what is remembered, or a new one.
func (c *Cache) board(ctx context.Context, id identifier.Identifier) (f *flight, joined bool) {
	key := id.Key()
	under := &c.flights[c.changes.hash(key)>>32%flightShards]
	under.mu.Lock()
	defer under.mu.Unlock()
	now, changed := c.options.Clock(), c.changes.of(key).Load()
	if f = under.list[key]; f != nil && f.changed == changed && now-f.sent <= c.options.Staleness {
		c.Counters.Joined.Add(1)
		return f, true
	}
	if e, ok := c.get(key); ok {
		c.Counters.Joined.Add(1)
		return landed(e), false
	}
	f = &flight{sent: now, changed: changed, done: make(chan struct{})}
	under.list[key] = f
	c.Counters.Reads.Add(1)
	c.reading.Go(func() { c.fly(context.WithoutCancel(ctx), id, f, under) })
	return f, false
}

// landed is a read that has ended and left an entry.
func landed(e entry) *flight {
	f := &flight{done: make(chan struct{}), found: registry.Found{Standing: e.Standing, Layer: registry.LayerLocalCache}}
	close(f.done)
	return f
}

// fly reads, and remembers. A newer read of the name may be under way by then; it is that
// one which is remembered, as the number of changes tells.
func (c *Cache) fly(ctx context.Context, id identifier.Identifier, f *flight, under *flights) {
	ctx, cancel := context.WithTimeout(ctx, c.options.ReadTimeout)
	defer cancel()
	f.found, f.err = c.below.Lookup(ctx, id)
	under.mu.Lock()
	defer under.mu.Unlock()
	if under.list[id.Key()] == f {
		delete(under.list, id.Key())
		if f.err == nil {
			c.remember(id.Key(), f.found, f.sent, f.changed)
		}
	}
	close(f.done)
}
