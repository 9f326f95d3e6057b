package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"namegate/storage/postgres"
)

// kept is how long requests and audit are, which is longer than any measurement.
const kept = 30 * 24 * time.Hour

// expired is how many reservations have run out when a sweep begins.
const expired = 1_000_000

// sweepLength is the longest that a sample may be: a sweep takes some six seconds.
const sweepLength = 4 * time.Second

// insertExpired has that many run out, all over the vshards and over an hour, in a
// numbered run.
const insertExpired = `INSERT INTO holdings (vshard, kind, state, since, expire_at, grant_id, holder, key, canonical, display)
	SELECT n %% 1024, 1, 1, now() - interval '2 hours', now() - n * interval '3.6 ms', gen_random_uuid(), gen_random_uuid(), key, key, key
	FROM generate_series(1, %d) AS n, format('over.%d.%%s', n) AS key`

// countExpired counts what is left of them.
const countExpired = `SELECT count(*) FROM holdings WHERE expire_at <= now()`

// reserveBesideSweep has callers reserve fresh names while the same replica sweeps.
func reserveBesideSweep(r *registry) work {
	w := r.reserve(128)
	runs := 0
	run := func(ctx context.Context, length time.Duration) (s sample, err error) {
		length, runs = min(length, sweepLength), runs+1
		if err := r.each(ctx, fmt.Sprintf(insertExpired, expired, runs)); err != nil {
			return s, err
		}
		before, err := r.countExpired(ctx)
		if err != nil {
			return s, err
		}
		stop := r.sweep(ctx)
		s, err = w.run(ctx, length)
		stop()
		if err != nil {
			return s, err
		}
		after, err := r.countExpired(ctx)
		fmt.Fprintf(os.Stderr, "swept %.0f rows a second beside it\n", float64(before-after)/length.Seconds())
		if err == nil && after == 0 {
			err = errors.New("the sweep was over too soon")
		}
		return s, err
	}
	return work{w.name + ", beside a sweep of " + grouped(expired) + " rows", w.prepare, run}
}

// sweep has the store sweep without a pause until it is told to stop.
func (r *registry) sweep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var sweeping sync.WaitGroup
	sweeping.Go(func() {
		r.store.Sweep(ctx, postgres.SweepOptions{Interval: 10 * time.Millisecond, Retention: kept, AuditRetention: kept, After: time.After})
	})
	return func() {
		cancel()
		sweeping.Wait()
	}
}

func (r *registry) countExpired(ctx context.Context) (n int, err error) {
	for _, d := range r.options.Databases {
		out, err := r.lab.psql(ctx, d.Name, countExpired)
		if err != nil {
			return 0, err
		}
		part, err := strconv.Atoi(out)
		if err != nil {
			return 0, err
		}
		n += part
	}
	return n, nil
}
