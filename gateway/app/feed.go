package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"namegate/storage/feed"
	"namegate/storage/postgres"
)

// listener is told of what changes in the registry.
type listener interface {
	// Apply is told of changes, maybe more than once of the same.
	Apply(events []feed.Event)
	// Forget says that changes may have been missed.
	Forget()
}

// listeners are told one after the other.
type listeners []listener

func (l listeners) apply(events []feed.Event) {
	for _, one := range l {
		one.Apply(events)
	}
}

func (l listeners) forget() {
	for _, one := range l {
		one.Forget()
	}
}

const (
	// followInterval is how often a feed is read that no filter reads.
	followInterval = 200 * time.Millisecond
)

// follow reads all feeds for listeners where no filter does. It ends with the replica.
func (r *Replica) follow(ctx context.Context, store *postgres.Store, told listeners) {
	if len(told) == 0 {
		return
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, reader := range store.Feeds(time.Now) {
		running.Go(func() {
			f := follower{reader: reader, told: told, log: r.log}
			f.run(ctx)
		})
	}
	r.undo.add("stop following the feeds", func(context.Context) error {
		stop()
		running.Wait()
		return nil
	})
}

// follower reads one feed.
type follower struct {
	reader feed.Reader
	told   listeners
	log    *slog.Logger
	at     feed.Position // zero for none
	warned bool
}

func (f *follower) run(ctx context.Context) {
	beat := time.NewTicker(followInterval)
	defer beat.Stop()
	for {
		f.report(ctx, f.poll(ctx))
		select {
		case <-beat.C:
		case <-ctx.Done():
			return
		}
	}
}

// poll reads what is new, or begins. What was missed meanwhile is forgotten.
func (f *follower) poll(ctx context.Context) error {
	if f.at.Xmax == 0 {
		at, err := f.reader.Now(ctx)
		if err == nil {
			f.at = at
			f.told.forget()
		}
		return err
	}
	polled, err := f.reader.Poll(ctx, f.at, func(page []feed.Event) error {
		f.told.apply(page)
		return nil
	})
	if _, void := errors.AsType[*feed.RebuildError](err); void {
		f.at = feed.Position{}
	}
	if err == nil {
		f.at = polled.Position
	}
	return err
}

// report says once that a feed cannot be read.
func (f *follower) report(ctx context.Context, err error) {
	if err != nil && !f.warned && ctx.Err() == nil {
		f.log.Warn("a feed cannot be read; what is cached of its names may be old", "database", f.reader.Database(), "cause", err)
	}
	f.warned = err != nil
}
