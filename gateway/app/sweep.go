package app

import (
	"context"
	"errors"
	"time"

	"namegate/storage/postgres"
)

// sweepInterval is the time between two rounds of a replica's sweeper, about.
const sweepInterval = 5 * time.Second

// Retention says how long it is remembered what was done.
type Retention struct {
	// Requests is how long a resent request gets its outcome again, from 1 to 3650 days.
	Requests time.Duration
	// Audit is how long it is known who had what, from 1 to 36500 days.
	Audit time.Duration
}

// The bounds of Retention. A request must be remembered for longer than its
// reservation lasts, which its record can tell of alone.
const (
	minRetention      = maxReservationTTL
	maxAuditRetention = 100 * 365 * 24 * time.Hour
)

// Validate returns all that is wrong, joined.
func (k Retention) Validate() error {
	var errs []error
	if k.Requests < minRetention || k.Requests > maxPeriod {
		errs = append(errs, errors.New("--request-retention must be from 1d to 3650d"))
	}
	if k.Audit < minRetention || k.Audit > maxAuditRetention {
		errs = append(errs, errors.New("--audit-retention must be from 1d to 36500d"))
	}
	return errors.Join(errs...)
}

// sweep has the replica clear up until it stops, which is before its databases are closed.
func (r *Replica) sweep(store *postgres.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		store.Sweep(ctx, postgres.SweepOptions{
			Interval:  sweepInterval,
			Retention: r.opts.Retention.Requests, AuditRetention: r.opts.Retention.Audit,
			After: time.After,
		})
	}()
	r.undo.add("stop the sweeper", func(context.Context) error {
		cancel()
		<-swept
		return nil
	})
}
