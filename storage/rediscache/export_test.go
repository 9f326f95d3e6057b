package rediscache

import (
	"github.com/redis/go-redis/v9"

	"namegate/storage/identifier"
)

// Client is what the cache talks to Redis by.
func (c *Cache) Client() redis.UniversalClient { return c.client }

// Live says that callers use Redis.
func (c *Cache) Live() bool { return c.breaker.closed.Load() && c.pulse.Load().alive(c.opts.Clock()) }

// Keys are those of a name's entry, tombstone and lease.
func (c *Cache) Keys(id identifier.Identifier) []string { return c.keys.trio(id.Key()) }

// GenerationKey is where the generation is.
func (c *Cache) GenerationKey() string { return c.keys.generation() }

// PositionKey is where the position of a database's feed is.
func (c *Cache) PositionKey(database string) string { return c.keys.position(database) }

// LockKey is the lock of the database's leader.
func (c *Cache) LockKey(database string) string { return c.keys.lock(database) }

// Beat is the newest beat that the cache knows, and BeatOf that of an entry of a name.
func (c *Cache) Beat() uint64 { return c.pulse.Load().last().number }

// BeatOf fails for what is no entry of the name.
func BeatOf(id identifier.Identifier, text string) (uint64, error) {
	e, err := decode(id, []byte(text))
	return e.beat, err
}
