package rediscache

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Read asks the database that has an identifier.
type Read func(ctx context.Context) (storage.Standing, error)

// Lookup gives what Redis has of a username, else what read says, once for all replicas
// where that is soon. It fails only with what read fails with.
func (c *Cache) Lookup(ctx context.Context, id identifier.Identifier, read Read) (s storage.Standing, fromRedis bool, err error) {
	known := c.pulse.Load()
	if id.Kind() != identifier.Username || !c.breaker.closed.Load() || !known.alive(c.opts.Clock()) {
		s, err = read(ctx)
		return s, false, err
	}
	l := lookup{Cache: c, pulse: known, id: id}
	if s, ok := l.find(ctx); ok {
		c.Counters.Hits.Add(1)
		return s, true, nil
	}
	if !l.leased {
		s, err = read(ctx)
		return s, false, err
	}
	s, err = l.fill(ctx, read)
	return s, false, err
}

// Changed drops what is kept of a username that was just changed, as the feed will do for
// all. A change is not held up for longer than a Lookup, nor by a Redis that fails.
func (c *Cache) Changed(ctx context.Context, id identifier.Identifier) {
	if id.Kind() != identifier.Username || !c.breaker.closed.Load() {
		return
	}
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.opts.Timeout)
	defer cancel()
	trio := c.keys.trio(id.Key())
	c.check(call, c.client.Del(call, trio[0], trio[2]).Err())
}

// lookup is one call of Lookup. Its pulse is from before all that it reads.
type lookup struct {
	*Cache
	pulse   *pulse
	id      identifier.Identifier
	useless string // entry that stands there and does not count
	token   [16]byte
	leased  bool
}

// find gives what Redis has, or gets the lease. Neither means that the caller reads the
// database for itself: whoever has the lease takes long, or Redis does.
func (l *lookup) find(ctx context.Context) (storage.Standing, bool) {
	s, state := l.get(ctx)
	if state == missing {
		l.Counters.Misses.Add(1)
		s, state = l.lease(ctx)
	}
	if state == missing && !l.leased {
		l.Counters.Waits.Add(1)
		s, state = l.wait(ctx)
	}
	return s, state == found
}

// state is what became of a call of Redis.
type state int

const (
	failed state = iota
	missing
	found
)

// get reads the entry.
func (l *lookup) get(ctx context.Context) (storage.Standing, state) {
	call, cancel := context.WithTimeout(ctx, l.opts.Timeout)
	defer cancel()
	text, err := l.client.Get(call, l.keys.entry(l.id.Key())).Result()
	if errors.Is(err, redis.Nil) {
		l.breaker.succeed()
		l.useless = ""
		return storage.Standing{}, missing
	}
	if !l.check(ctx, err) {
		return storage.Standing{}, failed
	}
	return l.judge(text)
}

// judge says whether an entry counts.
func (l *lookup) judge(text string) (storage.Standing, state) {
	e, err := decode(l.id, []byte(text))
	l.useless = text
	if err != nil || e.generation != l.pulse.generation {
		return storage.Standing{}, missing
	}
	// The clock is asked last: whatever took long until here is counted.
	if e.Held == nil && !l.Cache.pulse.Load().covers(e, l.opts.Clock(), l.opts.Staleness) {
		return storage.Standing{}, missing
	}
	return e.Standing, found
}

// covers says that a free entry was read within the bound.
func (p *pulse) covers(e entry, now time.Time, bound time.Duration) bool {
	return p.generation == e.generation && p.within(now, e.beat, bound)
}

// leaseTime is longer than reads take. A holder that died keeps others waiting for so
// long, each for waitTime.
const leaseTime = 5 * time.Second

// lease takes the lease, or gives what another one filled in meanwhile.
func (l *lookup) lease(ctx context.Context) (storage.Standing, state) {
	l.token = l.Cache.token()
	call, cancel := context.WithTimeout(ctx, l.opts.Timeout)
	defer cancel()
	answer, err := leaseScript.Run(call, l.client, l.keys.trio(l.id.Key()), l.token[:], leaseTime.Milliseconds(), l.useless).Result()
	if !l.check(ctx, err) {
		return storage.Standing{}, failed
	}
	if text, ok := answer.(string); ok {
		return l.judge(text)
	}
	l.leased = answer == int64(1)
	return storage.Standing{}, missing
}

// The times to look again while another reads: some 50 ms in all.
var waits = [...]time.Duration{2 * time.Millisecond, 4 * time.Millisecond, 8 * time.Millisecond, 14 * time.Millisecond, 22 * time.Millisecond}

// wait looks again until the entry is there.
func (l *lookup) wait(ctx context.Context) (storage.Standing, state) {
	for _, d := range waits {
		if !pause(ctx, l.jittered(d)) {
			break
		}
		if s, state := l.get(ctx); state != missing {
			return s, state
		}
	}
	return storage.Standing{}, missing
}

// check tells the breaker what became of a call. A caller that left says nothing of Redis.
func (c *Cache) check(caller context.Context, err error) bool {
	switch {
	case err == nil:
		c.breaker.succeed()
	case caller.Err() == nil:
		c.breaker.fail()
	}
	return err == nil
}
