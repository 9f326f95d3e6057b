package cache

import (
	"iter"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Names are those that are remembered, in no order. It may be called beside all else.
func (c *Cache) Names() iter.Seq[string] { return c.entries.Keys() }

// Peek is Get, and neither counts nor makes the name remembered for longer.
func (c *Cache) Peek(id identifier.Identifier) (storage.Standing, bool) {
	e, ok := c.entries.GetEntryQuietly(id.Key())
	if !ok || c.options.Clock() >= e.Value.end {
		return storage.Standing{}, false
	}
	return e.Value.Standing, true
}
