package shard

import (
	"errors"
	"time"

	"namegate/bloomnet/bloom"
)

// Survey is what an owner must know of a shard to decide what to do for it.
type Survey struct {
	Shard int
	Epoch uint64 // at which the database has the shard
	// Missing says that an image is wanted, of whatever build; no more is set then.
	Missing bool
	Head    Head
	// Names are in the base, of which Dead have gone; Lasting are recent names that are
	// not reserved. Capacity is how many names the base is made for.
	Names, Dead, Lasting, Capacity uint64
}

// patience is how long, after a shard has moved, its image may wait for polls of all
// databases. One that does not answer would keep it waiting.
const patience = 2 * time.Second

// Survey tells of all shards that a database has, as far as its last poll said, but for
// those that have just moved to it.
func (c *Core) Survey(database int) []Survey {
	var list []Survey
	for i, epoch := range c.databases[database].owned {
		s := &c.shards[i]
		switch {
		case epoch == 0 || epoch != s.epoch:
		case s.vouched == database:
			list = append(list, Survey{
				Shard: i, Epoch: epoch, Head: s.head, Names: s.names, Dead: s.dead,
				Lasting: uint64(s.recent.lasting), Capacity: s.base.Capacity(),
			})
		case s.base == nil, s.complete != s.epoch && c.options.Clock().Since(s.seen) > patience:
			list = append(list, Survey{Shard: i, Epoch: epoch, Missing: true})
		}
	}
	return list
}

// ErrUnwatched says that a watch has ended: by Unwatch, by Missed, or as the reading of
// some database began anew, and what went meanwhile is not known.
var ErrUnwatched = errors.New("shard is not watched")

// Watch notes which names go from a shard, until Missed or Unwatch.
func (c *Core) Watch(i int) { c.shards[i].gone = map[bloom.Hash]uint64{} }

// Unwatch ends a watch.
func (c *Core) Unwatch(i int) { c.shards[i].gone = nil }

// Missed says which names a replica ought to have and has not: those of a copy of the
// shard's table, made after Watch, as of a position, that did not go since. It ends the
// watch, but fails with ErrEarly until the feed has been read to that position and to
// that of the image. It fails with ErrUnwatched where there is no watch.
func (c *Core) Missed(i, database int, at Position, names []bloom.Hash) (missed []bloom.Hash, err error) {
	s, d := &c.shards[i], &c.databases[database]
	if s.gone == nil {
		return nil, ErrUnwatched
	}
	if s.vouched != database || !d.position.includes(at) || s.covered.database == database && d.position.At < s.covered.at {
		return nil, ErrEarly
	}
	shown := c.view.states[i].Load()
	for _, h := range names {
		if _, gone := s.gone[h]; !gone && !shown.has(h) {
			missed = append(missed, h)
		}
	}
	c.Unwatch(i)
	return missed, nil
}
