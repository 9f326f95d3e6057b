package shard

import (
	"time"

	"namegate/bloomnet/bloom"
)

// Options set a Core up.
type Options struct {
	Shards    int
	Databases int
	// Bound is how old the bits may be of which a check says Free.
	Bound time.Duration
	Clock func() Instant
	Hints *Hints
}

// Core is what a replica knows of all shards. It belongs to one goroutine, but for its View.
type Core struct {
	options   Options
	view      *View
	databases []database
	shards    []shard
}

// database is how far one database has been read.
type database struct {
	position Position
	// first is where the reading began, without a gap since; begun is when that was at
	// the latest, zero when it goes on from a file.
	first   uint64
	begun   Instant
	reading bool
	polled  Instant  // when the last poll was sent that was taken
	known   bool     // owned is what that poll said
	owned   []uint64 // by shard: the epoch at which the database owns it, or 0
}

// shard is the writer's side of a shard.
type shard struct {
	// epoch is the newest that a database told of, seen when that was, and read which
	// databases were polled since.
	epoch uint64
	seen  Instant
	read  []bool

	head        Head
	names, dead uint64
	base        *bloom.Filter // nil: there is no image
	recent      *recent
	covered     covered
	complete    uint64  // the epoch at which the image is complete; 0 without one
	home        int     // the database that had the shard then
	homeAt      Instant // when a poll was sent that found it there
	vouched     int     // the database whose polls vouch for the image, or nobody

	gone map[bloom.Hash]uint64 // since Watch, and at which epoch; else nil
}

// New makes a core that knows nothing.
func New(o Options) *Core {
	c := &Core{options: o, view: newView(o), databases: make([]database, o.Databases), shards: make([]shard, o.Shards)}
	for i := range c.databases {
		c.databases[i].owned = make([]uint64, o.Shards)
	}
	for i := range c.shards {
		c.shards[i] = shard{recent: newRecent(0), read: make([]bool, o.Databases), vouched: nobody}
		c.publish(i)
	}
	return c
}

// View is for those who check.
func (c *Core) View() *View { return c.view }

// publish shows readers a shard.
func (c *Core) publish(i int) {
	s := &c.shards[i]
	c.view.states[i].Store(&state{base: s.base, recent: s.recent, vouched: s.vouched})
	c.view.pause()
}

// Begin begins, or begins anew, to read a database from a position that was just taken.
// Images of the shards that it had are forgotten, as nobody knows what was missed.
func (c *Core) Begin(database int, at Position) {
	d := &c.databases[database]
	d.position, d.first, d.begun, d.reading, d.known = at, at.At, c.options.Clock(), true, false
	for i := range c.shards {
		s := &c.shards[i]
		c.Unwatch(i)
		if s.covered.database == database {
			s.covered = covered{}
		}
		if s.base != nil && s.home == database {
			c.forget(i)
		}
	}
}

// forget throws the image of a shard away, and no recent name: the next image may be as
// of a position before these were added.
func (c *Core) forget(i int) {
	s := &c.shards[i]
	s.base, s.head, s.names, s.dead, s.complete, s.vouched = nil, Head{}, 0, 0, 0, nobody
	c.publish(i)
}

// Position is from where to poll a database; false before Begin or Restore.
func (c *Core) Position(database int) (Position, bool) {
	d := &c.databases[database]
	return d.position, d.reading
}
