package rediscache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"namegate/storage/feed"
	"namegate/storage/identifier"
)

const (
	// tombstoneTime is longer than a read that was sent before can be on its way.
	tombstoneTime = 2 * time.Minute
	// piece is how many changes one pipeline carries.
	piece = 512
)

// Apply drops what changes make void, in the whole fleet. When it fails some of them may
// have been applied; all of them may be applied again, in any order.
func (c *Cache) Apply(ctx context.Context, events []feed.Event) error {
	for some := range slices.Chunk(events, piece) {
		some = slices.DeleteFunc(slices.Clone(some), func(e feed.Event) bool { return e.Kind != identifier.Username })
		if err := c.applyPiece(ctx, some); err != nil {
			return fmt.Errorf("apply changes to Redis: %w", err)
		}
		c.Counters.Invalidations.Add(int64(len(some)))
	}
	return nil
}

// applyPiece names the script, and sends it whole where that is not known.
func (c *Cache) applyPiece(ctx context.Context, events []feed.Event) error {
	err := c.pipeline(ctx, events, applyScript.EvalSha)
	if isUnknownScript(err) {
		err = c.pipeline(ctx, events, applyScript.Eval)
	}
	return err
}

type runScript func(ctx context.Context, c redis.Scripter, keys []string, args ...any) *redis.Cmd

func (c *Cache) pipeline(ctx context.Context, events []feed.Event, run runScript) error {
	if len(events) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := c.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, e := range events {
			var tombstone int64
			if e.Change == feed.Went {
				tombstone = tombstoneTime.Milliseconds()
			}
			run(ctx, p, c.keys.trio(e.Key), appendVersion(nil, e.Version()), tombstone)
		}
		return nil
	})
	return err
}

func isUnknownScript(err error) bool {
	refusal, ok := errors.AsType[redis.Error](err)
	return ok && redis.HasErrorPrefix(refusal, "NOSCRIPT")
}
