package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"namegate/storage"
)

// SweepOptions say how a replica clears up.
type SweepOptions struct {
	// Interval is the time between two rounds, about: each replica draws from half
	// of it to one and a half, so that they do not meet.
	Interval time.Duration
	// Retention is how long the outcome of a request is remembered. It must not be
	// shorter than a reservation, whose token names the request.
	Retention time.Duration
	// AuditRetention is how long the audit is kept. The feed is kept for a day.
	AuditRetention time.Duration
	// After is time.After, but in tests.
	After func(time.Duration) <-chan time.Time
}

// sweeper clears up in one database. Any number of replicas may do so at once:
// they skip what another one has locked.
type sweeper struct {
	*Store
	database *database
	options  SweepOptions
	trimmed  trimPosition
	cutAt    time.Time // when partitions were trimmed last
	down     bool      // the log has told that the sweeper cannot work
}

// Sweep takes away what is over, and finishes what dead replicas left, in all
// databases, until ctx ends. Nothing depends on it but the size of the tables, and
// how long an identifier stays held by a change whose replica died.
func (s *Store) Sweep(ctx context.Context, o SweepOptions) {
	var sweepers sync.WaitGroup
	for _, d := range s.databases {
		w := &sweeper{Store: s, database: d, options: o}
		sweepers.Go(func() { w.run(ctx) })
	}
	sweepers.Wait()
}

func (w *sweeper) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.options.After(w.options.Interval/2 + rand.N(w.options.Interval)):
		}
		swept, err := w.round(ctx)
		w.tell(ctx, swept, err)
	}
}

// swept counts what a round did.
type swept struct {
	expired, settled, finished, requests int
}

// round does all that is to do. What fails does not keep the rest from its turn;
// the first error is given.
func (w *sweeper) round(ctx context.Context) (done swept, first error) {
	for _, part := range []struct {
		count *int
		do    func(context.Context) (int, error)
	}{
		{&done.expired, w.expire},
		{&done.settled, w.settleIntents},
		{&done.finished, w.finishAccounts},
		{&done.requests, w.trimRequests},
	} {
		n, err := part.do(ctx)
		*part.count = n
		if first == nil {
			first = err
		}
	}
	if err := w.cut(ctx); first == nil {
		first = err
	}
	return done, first
}

// cut trims what is cut by time, as often as partitions are made.
func (w *sweeper) cut(ctx context.Context) error {
	if time.Since(w.cutAt) < partitionInterval {
		return nil
	}
	w.cutAt = time.Now()
	return w.database.trimPartitions(ctx, w.options.AuditRetention)
}

// tell logs an outage once, when it begins and when it is over.
func (w *sweeper) tell(ctx context.Context, done swept, err error) {
	log := w.log.With("database", w.database.name)
	switch {
	case ctx.Err() != nil:
		return
	case err != nil && !w.down:
		if away, ok := errors.AsType[*storage.UnavailableError](err); ok {
			err = away.Cause
		}
		log.Warn("sweeping fails; it is tried again", "cause", err)
	case err == nil && w.down:
		log.Info("sweeping works again")
	}
	w.down = err != nil
	if done != (swept{}) {
		log.Debug("swept", "expired", done.expired, "settled", done.settled, "finished", done.finished, "requests", done.requests)
	}
}
