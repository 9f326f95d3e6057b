package shard

import (
	"errors"

	"namegate/bloomnet/bloom"
)

// Image is all that is known of a shard, less hints: what replicas give one another, and
// what files and builds hold. Whatever is there as of AsOf is in the base or recent.
type Image struct {
	Head Head
	// Base is immutable.
	Base *bloom.Filter
	// Names is how many names were added to the base, Dead how many of these have
	// been removed since.
	Names, Dead uint64
	Recent      []Entry
	// The image is complete as of a position in the feed of the database that had the
	// shard at an epoch.
	Epoch    uint64
	Database int
	AsOf     Position
}

// Entry is a name of the recent layer.
type Entry struct {
	Hash     bloom.Hash
	Epoch    uint64 // of the shard, when it was added
	Database int    // whose feed told of it
	// At is a position in that feed that includes the add.
	At       uint64
	Reserved bool
}

// Reasons not to install an image, or to give none.
var (
	// ErrOlder says that the replica has as good an image already.
	ErrOlder = errors.New("image is not newer")
	// ErrEarly says that the image is as of a position from which on the replica does
	// not remember every add: what came in between would be nowhere. The same base will
	// do together with what is recent at a later position.
	ErrEarly = errors.New("image is from before what the replica remembers")
	// ErrForeign says that its database does not have the shard at its epoch, as far as
	// the replica knows, or has another history.
	ErrForeign = errors.New("image is of another stay of the shard")
)

// covered says what the image has that a replica installed last, and that its recent
// layer need not have therefore.
type covered struct {
	epoch    uint64
	database int
	at       uint64
}

func (m Image) covers() covered { return covered{epoch: m.Epoch, database: m.Database, at: m.AsOf.At} }

// covers says that the name is in the image, or has gone: it was added in an earlier stay
// of the shard, or in this one, before the image's position.
func (c covered) covers(a added) bool {
	return uint64(a.epoch) < c.epoch || uint64(a.epoch) == c.epoch && int(a.database) == c.database && a.at <= c.at
}

// Install takes an image that was built or pulled. It replaces another only together with
// all that came since, which the replica has read or the image holds. Names that went
// since the image was made stay until one that is made later; that is safe.
func (c *Core) Install(i int, m Image) error {
	if err := c.accepts(i, m); err != nil {
		return err
	}
	s := &c.shards[i]
	next := s.recent.after(m.covers())
	for _, e := range m.Recent {
		next.put(e.Hash, e.added())
	}
	s.take(m, next)
	s.homeAt = c.databases[m.Database].polled
	c.publish(i)
	return nil
}

func (c *Core) accepts(i int, m Image) error {
	if i >= len(c.shards) || m.Database >= len(c.databases) {
		return ErrForeign
	}
	s, d := &c.shards[i], &c.databases[m.Database]
	switch {
	case m.Epoch == 0 || m.Epoch != s.epoch || m.Epoch != d.owned[i] || m.AsOf.Source != d.position.Source:
		return ErrForeign
	case m.AsOf.At < d.first || m.Epoch == s.covered.epoch && m.AsOf.At < s.covered.at:
		return ErrEarly
	case s.base != nil && s.complete == s.epoch && !m.Head.newer(s.head):
		return ErrOlder
	}
	return nil
}

// take replaces the layers.
func (s *shard) take(m Image, r *recent) {
	s.head, s.base, s.names, s.dead, s.recent = m.Head, m.Base, m.Names, m.Dead, r
	s.covered, s.complete, s.home = m.covers(), m.Epoch, m.Database
}

// Image is what the replica knows of a shard. It fails with ErrForeign when the shard is
// not vouched for: what there is may be of a stay that has ended, and of use to nobody.
func (c *Core) Image(i int) (Image, error) {
	s := &c.shards[i]
	if s.vouched == nobody {
		return Image{}, ErrForeign
	}
	return Image{
		Head: s.head, Base: s.base, Names: s.names, Dead: s.dead, Recent: s.recent.entries(),
		Epoch: s.complete, Database: s.home, AsOf: c.databases[s.home].position,
	}, nil
}
