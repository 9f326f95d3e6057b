package rediscache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"namegate/storage/feed"
)

const (
	// followInterval is how often a feed is read.
	followInterval = 200 * time.Millisecond
	// lockTime is how long a leader that died is waited for.
	lockTime = 2 * time.Second
)

// Invalidator follows the feeds once for the whole fleet: of all replicas one leads for
// each database, by a lock in Redis. Two leaders waste work, no more: changes may be
// applied twice, and a position is replaced only by whoever knows it.
type Invalidator struct {
	followers []*follower
}

// NewInvalidator makes the invalidator of one replica. Each reader is of another database.
func (c *Cache) NewInvalidator(readers []feed.Reader) *Invalidator {
	v := &Invalidator{}
	for _, r := range readers {
		v.followers = append(v.followers, &follower{cache: c, reader: r, token: c.token()})
	}
	return v
}

// Run follows until ctx ends. What fails is logged once and tried again. The cache must be
// open for as long.
func (v *Invalidator) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, f := range v.followers {
		running.Go(func() { f.run(ctx) })
	}
	running.Wait()
}

// follower follows the feed of one database.
type follower struct {
	cache  *Cache
	reader feed.Reader
	token  [16]byte
	told   outage
}

func (f *follower) run(ctx context.Context) {
	for {
		wait, err := f.round(ctx)
		if ctx.Err() != nil {
			break
		}
		f.report(err)
		if !pause(ctx, f.cache.jittered(wait)) {
			break
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	// Without it the lock ends by itself.
	_ = releaseScript.Run(ctx, f.cache.client, []string{f.lock()}, f.token[:]).Err()
}

func (f *follower) lock() string { return f.cache.keys.lock(f.reader.Database()) }

// round leads for one poll, or says when to ask again.
func (f *follower) round(ctx context.Context) (wait time.Duration, err error) {
	leads, err := f.hold(ctx)
	if err == nil && !leads {
		return lockTime / 2, nil
	}
	if err == nil {
		err = f.follow(ctx)
	}
	if err != nil {
		return 2 * followInterval, err
	}
	return followInterval, nil
}

// hold takes or keeps the lock.
func (f *follower) hold(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	held, err := holdScript.Run(ctx, f.cache.client, []string{f.lock()}, f.token[:], lockTime.Milliseconds()).Bool()
	if err != nil {
		return false, fmt.Errorf("take the lock of an invalidator: %w", err)
	}
	return held, nil
}

// follow polls once from the stored position, or begins anew where there is none that counts.
func (f *follower) follow(ctx context.Context) error {
	histories, err := f.cache.histories(ctx)
	if err != nil {
		return err
	}
	stored, err := f.load(ctx)
	if err != nil {
		return err
	}
	at, ok := stored.decode(histories)
	if !ok {
		return f.begin(ctx, stored, histories)
	}
	poll, err := f.reader.Poll(ctx, at, func(page []feed.Event) error {
		if _, err := f.hold(ctx); err != nil {
			return err
		}
		return f.cache.Apply(ctx, page)
	})
	if _, void := errors.AsType[*feed.RebuildError](err); void {
		return f.begin(ctx, stored, histories)
	}
	if err != nil || poll.Position.Equal(at) {
		return err
	}
	return f.move(ctx, stored, poll.Position, histories, nil)
}

// begin makes all entries void. What is filled in after that was read after the position
// was, so that all changes that it may lack are still to come.
func (f *follower) begin(ctx context.Context, stored record, histories [16]byte) error {
	at, err := f.reader.Now(ctx)
	if err != nil {
		return err
	}
	fresh := f.cache.token()
	return f.move(ctx, stored, at, histories, fresh[:])
}

func (f *follower) report(err error) {
	if !f.told.changed(err) {
		return
	}
	log := f.cache.log.With("database", f.reader.Database())
	if err != nil {
		log.Warn("changes do not reach Redis", "cause", err)
		return
	}
	log.Info("changes reach Redis")
}
