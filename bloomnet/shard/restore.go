package shard

// Positions are how far each database has been read; zero where it has not been.
// Taken before any Image of a set, they are where to go on reading from with that set.
func (c *Core) Positions() []Position {
	list := make([]Position, len(c.databases))
	for i, d := range c.databases {
		if d.reading {
			list[i] = d.position
		}
	}
	return list
}

// Restore takes what a file holds: images, by shard, and positions that are not later
// than any of them. It comes before any other call. Nothing is vouched for until its
// database was polled, as no time outlives a process; what the feeds told since the
// positions is told again, which does no harm.
func (c *Core) Restore(positions []Position, images map[int]Image) {
	for i, at := range positions {
		if at != (Position{}) {
			d := &c.databases[i]
			d.position, d.first, d.reading = at, at.At, true
		}
	}
	for i, m := range images {
		r := newRecent(len(m.Recent))
		for _, e := range m.Recent {
			r.put(e.Hash, e.added())
		}
		c.shards[i].take(m, r)
		c.publish(i)
	}
}
