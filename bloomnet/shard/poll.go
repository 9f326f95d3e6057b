package shard

import (
	"errors"
	"slices"

	"namegate/bloomnet/bloom"
)

// Poll is the answer of one poll of a database's feed, as a whole.
type Poll struct {
	From, To Position
	// Sent is when the poll was sent, by the replica's clock.
	Sent Instant
	// Owned is, by shard, the epoch at which the database owns it, or 0, in the snapshot
	// of the poll. Nil says that it is as in the last poll that was taken.
	Owned []uint64
	// Events are in the order of changes of a name.
	Events []Event
}

// ErrStale refuses a poll that does not go on from where its database has been read to,
// or was sent before the last one.
var ErrStale = errors.New("poll does not follow the position of its database")

// Polled takes a poll. Its time is published last: whoever reads it reads the bits
// after.
func (c *Core) Polled(database int, p Poll) error {
	d := &c.databases[database]
	if !d.takes(p) {
		return ErrStale
	}
	for _, e := range lastOfEach(p.Events) {
		c.apply(database, p.To, e)
		c.view.pause()
	}
	d.position, d.polled = p.To, p.Sent
	if p.Owned != nil {
		copy(d.owned, p.Owned)
		d.known = true
	}
	for i := range c.shards {
		c.judge(i, database)
	}
	sent := p.Sent
	c.view.times[database].Store(&sent)
	return nil
}

// takes says that a poll goes on from the database's position. The position alone would
// not tell polls apart between which nothing was added, and who owns what may have
// changed.
func (d *database) takes(p Poll) bool {
	return d.reading && p.From.Source == d.position.Source && p.From.At == d.position.At && p.To.includes(p.From) &&
		!d.polled.after(p.Sent) && (d.known || p.Owned != nil)
}

// lastOfEach leaves what became of each name in the end. One that goes and comes again in
// one transaction never was free, and must not be missing in between.
func lastOfEach(events []Event) []Event {
	type name struct {
		shard int
		hash  bloom.Hash
	}
	if len(events) < 2 {
		return events
	}
	last := make([]Event, 0, len(events))
	places := make(map[name]int, len(events))
	for _, e := range slices.Backward(events) {
		n := name{e.Shard, e.Hash}
		if at, later := places[n]; !later {
			places[n] = len(last)
			last = append(last, e)
		} else if e.Change != Altered && last[at].Change == Altered {
			last[at].Change = Came
		}
	}
	return last
}

// apply does to the recent layer what a feed tells.
func (c *Core) apply(database int, to Position, e Event) {
	s := &c.shards[e.Shard]
	inBase := s.base != nil && s.base.Has(e.Hash)
	switch {
	case e.Change == Went:
		if !s.recent.drop(e.Hash, uint32(e.Epoch)) && inBase {
			s.dead++
		}
	case e.Change == Altered && inBase && !s.recent.has(e.Hash):
		// Any image of the shard has it, as it was there before, now or reserved.
	default:
		s.recent.put(e.Hash, added{at: to.At, epoch: uint32(e.Epoch), database: uint16(database), reserved: e.Reserved})
	}
	s.watch(e)
}

// watch notes what goes, and does not come back. What is told late, of an earlier epoch,
// is no coming back.
func (s *shard) watch(e Event) {
	went, gone := s.gone[e.Hash]
	switch {
	case s.gone == nil:
	case e.Change == Went:
		s.gone[e.Hash] = max(went, e.Epoch)
	case gone && e.Epoch >= went:
		delete(s.gone, e.Hash)
	}
}

// judge decides whether a database, of which a poll was just taken, vouches for a shard.
// Another one that did until then still does: as of its last poll it owned the shard. An
// image of the database's epoch that is of another database is of a file that was written
// when their numbers were others.
func (c *Core) judge(i, database int) {
	s, d := &c.shards[i], &c.databases[database]
	epoch, before := d.owned[i], s.vouched
	if epoch > s.epoch {
		s.epoch, s.seen = epoch, c.options.Clock()
		clear(s.read)
	} else if d.polled.after(s.seen) {
		s.read[database] = true
	}
	if s.base != nil && (s.complete < s.epoch && c.hasGap(s) || s.complete == epoch && s.home != database) {
		c.forget(i)
		return
	}
	switch {
	case epoch > 0 && epoch == s.epoch && s.base != nil && s.isComplete():
		s.complete, s.home, s.homeAt, s.vouched = epoch, database, d.polled, database
	case s.vouched == database:
		s.vouched = nobody
	}
	if s.vouched != before {
		c.publish(i)
	}
}

// isComplete says that the image has all of the newest epoch, and the tails of those
// before.
func (s *shard) isComplete() bool {
	return s.complete == s.epoch || s.complete < s.epoch && !slices.Contains(s.read, false)
}

// hasGap says that an image will never be complete at a later epoch than its own: the
// reading of some database began after the shard was last seen at home, so it may have
// been there in between, unread.
func (c *Core) hasGap(s *shard) bool {
	return slices.ContainsFunc(c.databases, func(d database) bool {
		return !d.reading || d.begun != Instant{} && !s.homeAt.after(d.begun)
	})
}
