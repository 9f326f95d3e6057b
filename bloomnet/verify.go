package bloomnet

import (
	"context"
	"errors"
	"time"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

const (
	// verifyShards is how many shards are compared with one copy of their tables.
	verifyShards = 8
	// catchUp is how long the reading of a feed may take to come to where a copy is.
	catchUp = 10 * time.Second
)

// verify compares the shards that this replica owns with their tables, piece by piece, until
// the Net is closed. The copy makes new bases as well.
func (n *Net) verify(ctx context.Context, database int) {
	next := 0
	for n.pauseFor(ctx, n.options.VerifyEvery*verifyShards/time.Duration(n.options.Shards)) {
		var some []int
		some, next = n.nextToVerify(ctx, database, next)
		if len(some) == 0 {
			continue
		}
		if err := n.compare(ctx, database, some); err != nil && ctx.Err() == nil {
			n.log.Warn("shards cannot be compared with their tables", "database", n.options.Sources[database].Name(), "cause", err)
		}
	}
}

// nextToVerify are some shards from a number on that this replica owns and vouches for, and
// where to go on.
func (n *Net) nextToVerify(ctx context.Context, database, from int) (some []int, next int) {
	var surveys []shard.Survey
	n.do(ctx, func(c *shard.Core) { surveys = c.Survey(database) })
	owns := n.ownership()
	for _, s := range surveys {
		if s.Shard >= from && !s.Missing && owns(s.Shard) {
			some = append(some, s.Shard)
			if len(some) == verifyShards {
				return some, s.Shard + 1
			}
		}
	}
	return some, 0
}

// compare looks in the layers for every name of a copy of the tables.
func (n *Net) compare(ctx context.Context, database int, some []int) error {
	n.do(ctx, func(c *shard.Core) {
		for _, number := range some {
			c.Watch(number)
		}
	})
	tables, copied, err := n.copy(ctx, database, some)
	for _, number := range some {
		if t := tables[number]; err == nil && t != nil {
			n.settle(ctx, database, number, copied.At, t.names())
		}
		n.do(ctx, func(c *shard.Core) { c.Unwatch(number) })
	}
	if err != nil {
		return err
	}
	return n.installTables(ctx, database, tables, copied)
}

// settle waits for the feed to be read as far as the copy was made, and counts what is
// missed then. There can be none unless a rule is broken.
func (n *Net) settle(ctx context.Context, database, number int, at shard.Position, names []bloom.Hash) {
	ctx, cancel := context.WithTimeout(ctx, catchUp)
	defer cancel()
	for {
		var missed []bloom.Hash
		err := error(shard.ErrEarly)
		n.do(ctx, func(c *shard.Core) { missed, err = c.Missed(number, database, at, names) })
		if errors.Is(err, shard.ErrUnwatched) {
			return // it has moved, or its feed was begun anew
		}
		if err == nil {
			n.stats.Verified.Add(1)
			n.stats.Missed.Add(uint64(len(missed)))
			if len(missed) > 0 {
				n.log.Error("names of a table were missing from the filter: checks may have called them free", "shard", number, "names", len(missed))
			}
			return
		}
		if !n.pauseFor(ctx, pollInterval) {
			return
		}
	}
}
