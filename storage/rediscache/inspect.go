package rediscache

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/redis/go-redis/v9"

	"namegate/storage"
	"namegate/storage/identifier"
)

// ErrAway says that Redis is not asked at this time.
var ErrAway = errors.New("as Redis failed of late, it is not asked")

// scanned is how many keys Redis is asked to look at in one step, between other calls.
const scanned = 1000

// Names gives yield the usernames of which something is kept, maybe some of them twice,
// until it fails.
func (c *Cache) Names(ctx context.Context, yield func(name string) error) error {
	var mu sync.Mutex
	scan := func(ctx context.Context, one *redis.Client) error {
		mu.Lock()
		defer mu.Unlock()
		return c.scan(ctx, one, yield)
	}
	switch client := c.client.(type) {
	case *redis.ClusterClient:
		return client.ForEachMaster(ctx, scan)
	case *redis.Client:
		return scan(ctx, client)
	}
	return nil
}

func (c *Cache) scan(ctx context.Context, one *redis.Client, yield func(name string) error) error {
	keys := one.Scan(ctx, 0, c.keys.entry("*"), scanned).Iterator()
	for keys.Next(ctx) {
		if err := yield(c.keys.nameOf(keys.Val())); err != nil {
			return err
		}
	}
	if err := keys.Err(); err != nil {
		return fmt.Errorf("scan Redis: %w", err)
	}
	return nil
}

// Peek is what Redis has of a username, false for nothing that counts. Nobody is asked
// else. It fails with ErrAway, or with what Redis says.
func (c *Cache) Peek(ctx context.Context, id identifier.Identifier) (storage.Standing, bool, error) {
	known := c.pulse.Load()
	if !c.breaker.closed.Load() || !known.alive(c.opts.Clock()) {
		return storage.Standing{}, false, ErrAway
	}
	call, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, err := c.client.Get(call, c.keys.entry(id.Key())).Result()
	if errors.Is(err, redis.Nil) {
		return storage.Standing{}, false, nil
	}
	if err != nil {
		return storage.Standing{}, false, fmt.Errorf("read an entry of Redis: %w", err)
	}
	l := lookup{Cache: c, pulse: known, id: id}
	s, state := l.judge(text)
	return s, state == found, nil
}

// Drop forgets usernames in the whole fleet, and what is being read of them.
func (c *Cache) Drop(ctx context.Context, ids ...identifier.Identifier) error {
	for _, id := range ids {
		trio := c.keys.trio(id.Key())
		call, cancel := context.WithTimeout(ctx, patience)
		err := c.client.Del(call, trio[0], trio[2]).Err()
		cancel()
		if err != nil {
			return fmt.Errorf("drop an entry in Redis: %w", err)
		}
	}
	return nil
}
