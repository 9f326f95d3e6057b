package bloomnet

import (
	"context"
	"errors"
	"time"

	"namegate/bloomnet/shard"
)

const (
	// pollInterval is how often the feed of a database is read.
	pollInterval = 200 * time.Millisecond
	// retryInterval is how often a database is asked that does not answer.
	retryInterval = 500 * time.Millisecond
)

// follow reads the feed of a database until the Net is closed.
func (n *Net) follow(ctx context.Context, database int) {
	told := false
	for {
		err := n.poll(ctx, database)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !told:
			n.log.Warn("the feed cannot be read; names of this database are not vouched for", "database", n.options.Sources[database].Name(), "cause", err)
		case err == nil && told:
			n.log.Info("the feed is read again", "database", n.options.Sources[database].Name())
		}
		told = err != nil
		interval := pollInterval
		if err != nil {
			interval = retryInterval
		}
		if !n.pauseFor(ctx, interval) {
			return
		}
	}
}

// poll reads what is new, or begins to read.
func (n *Net) poll(ctx context.Context, database int) error {
	source := n.options.Sources[database]
	var from shard.Position
	var reading bool
	if !n.do(ctx, func(c *shard.Core) { from, reading = c.Position(database) }) {
		return ctx.Err()
	}
	if !reading {
		return n.begin(ctx, database)
	}
	p, err := source.Poll(ctx, from)
	if errors.Is(err, ErrVoid) || errors.Is(err, ErrTooMuch) {
		n.log.Warn("shards of a database are built anew", "database", source.Name(), "cause", err)
		return n.begin(ctx, database)
	}
	if err != nil {
		return err
	}
	n.do(ctx, func(c *shard.Core) { err = c.Polled(database, p) })
	return err
}

func (n *Net) begin(ctx context.Context, database int) error {
	at, err := n.options.Sources[database].Begin(ctx)
	if err != nil {
		return err
	}
	n.do(ctx, func(c *shard.Core) { c.Begin(database, at) })
	return n.poll(ctx, database)
}
