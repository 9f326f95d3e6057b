package postgres

import (
	"context"
	"time"

	"namegate/storage"
)

// auditRetention is long enough for all that tests do.
const auditRetention = 1000 * 24 * time.Hour

// Swept is what one round of a sweeper did.
type Swept struct{ Expired, Settled, Finished, Requests int }

// SweepOnce does one round in each database of a store.
func SweepOnce(ctx context.Context, s *Store, retention time.Duration) (sum Swept, first error) {
	for _, d := range s.databases {
		w := &sweeper{Store: s, database: d, options: SweepOptions{Retention: retention, AuditRetention: auditRetention}}
		done, err := w.round(ctx)
		sum.Expired += done.expired
		sum.Settled += done.settled
		sum.Finished += done.finished
		sum.Requests += done.requests
		if first == nil {
			first = err
		}
	}
	return sum, first
}

// DieConfirming begins a confirm and leaves it as a replica does that dies: with its
// intents laid, or also decided, but never carried out.
func DieConfirming(ctx context.Context, s *Store, c storage.Change, reservation storage.RequestKey, decided bool) error {
	a, err := s.readAccount(ctx, c.Owner, c.Request.ID)
	if err != nil {
		return err
	}
	granted, err := s.reserved(ctx, reservation)
	if err != nil {
		return err
	}
	g, err := s.planConfirm(c, a, reservation, granted)
	if err != nil {
		return err
	}
	if decided {
		_, err := s.decideSplit(ctx, g)
		return err
	}
	if err := s.begin(ctx, g); err != nil {
		return err
	}
	return s.layEach(ctx, g)
}

// PlannedSweeps are the statements of the sweeper.
func PlannedSweeps() map[string]PlannedStatement {
	return map[string]PlannedStatement{
		"expire":   {expireSQL, writeLimits, []any{time.Time{}, sweepSize}},
		"intents":  {leftIntentsSQL, readLimits, []any{time.Time{}, leftSize, int64(0)}},
		"accounts": {leftAccountsSQL, readLimits, []any{int16(-1), "", int64(0), leftSize}},
		"requests": {trimRequestsSQL, writeLimits, []any{int64(0), int64(trimPages), int64(0)}},
	}
}

// PlannedVerifications are the statements of a verification.
func PlannedVerifications() map[string]PlannedStatement {
	possessions := []any{[]int16{}, []string{}, []int16{}, []string{}, []string{}, []string{}, []string{}}
	return map[string]PlannedStatement{
		"holdings":  {holdingPagesSQL, readLimits, []any{int16(0), int16(0), "", verifySize}},
		"slots":     {slotPagesSQL, readLimits, []any{int16(0), "", int16(0), int16(0), verifySize}},
		"listed":    {listedSQL, readLimits, possessions},
		"held":      {heldSQL, readLimits, possessions},
		"a holding": {oneHoldingSQL, readLimits, []any{int16(0), int16(0), ""}},
	}
}
