package rediscache

import (
	"context"
	"time"

	"namegate/storage"
)

// fill reads the database under the lease, and stores what it said. Without an answer it
// gives the lease back, so that the next one need not wait.
func (l *lookup) fill(ctx context.Context, read Read) (storage.Standing, error) {
	sent := l.opts.Clock() // after the lease, before the read is sent
	stored := false
	defer func() {
		if !stored {
			l.giveBack(ctx)
		}
	}()
	s, err := read(ctx)
	if err != nil {
		return s, err
	}
	ttl := l.lifetime(s, age(l.opts.Clock(), sent))
	if ttl >= time.Millisecond {
		stored = l.store(ctx, s, ttl)
	}
	return s, nil
}

// lifetime is how long a standing may be kept whose read was sent some time ago.
func (c *Cache) lifetime(s storage.Standing, passed time.Duration) time.Duration {
	if s.Held == nil {
		return c.opts.Staleness - passed
	}
	ttl := c.jittered(c.opts.TakenTTL)
	if h := s.Held; !h.ExpireAt.IsZero() && !h.Blocked {
		// It ends without any event. AsOf is not before the sending, by the database's clock.
		ttl = min(ttl, h.ExpireAt.Sub(s.AsOf)-passed)
	}
	return ttl
}

// store says that the lease is over, whether the entry was taken or not.
func (l *lookup) store(ctx context.Context, s storage.Standing, ttl time.Duration) bool {
	e := entry{Standing: s, generation: l.pulse.generation, beat: l.pulse.last().number}
	b, err := e.encode(l.id.Key())
	if err != nil {
		return false
	}
	call, cancel := l.parting(ctx)
	defer cancel()
	done, err := fillScript.Run(call, l.client, l.keys.trio(l.id.Key()), l.token[:], b, ttl.Milliseconds()).Int()
	if !l.check(call, err) {
		return true // it may have been stored, and the lease ends by itself
	}
	if done == 1 {
		l.Counters.Fills.Add(1)
	} else {
		l.Counters.Refused.Add(1)
	}
	return true
}

// giveBack ends the lease, if it is still the caller's own.
func (l *lookup) giveBack(ctx context.Context) {
	call, cancel := l.parting(ctx)
	defer cancel()
	keys := l.keys.trio(l.id.Key())
	l.check(call, releaseScript.Run(call, l.client, keys[2:], l.token[:]).Err())
}

// parting is for what a caller does for others, even one that has left.
func (l *lookup) parting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), l.opts.Timeout)
}
