package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"namegate/storage"
)

// pauses are how long a change waits before it tries again, about; then it gives up.
var pauses = []time.Duration{0, 10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond}

// change brings a request to its outcome: the one that it has, or that of a saga
// which plan makes of the account as it is. What it gives is in the order of the
// saga's outcome.
func (s *Store) change(ctx context.Context, c storage.Change, plan func(*account) (*saga, error)) ([]storage.Holding, error) {
	var last [16]byte // the attempt before
	for _, pause := range pauses {
		if err := s.sleep(ctx, pause); err != nil {
			return nil, err
		}
		if err := s.checkPoint(ctx, c); err != nil {
			return nil, err
		}
		a, err := s.readAccount(ctx, c.Owner, c.Request.ID)
		if err != nil {
			return nil, err
		}
		if outcome, err := s.outcomeOf(ctx, c, a, last); err == nil || !tryAgain(err) && !errors.Is(err, errUndecided) {
			return outcome, err
		} else if tryAgain(err) {
			continue
		}
		g, err := plan(a)
		if tryAgain(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		result, err := s.run(ctx, g)
		if err == nil {
			return g.answer(result)
		}
		if !tryAgain(err) {
			return nil, err
		}
		last = g.attempt
	}
	return nil, &storage.OverloadedError{RetryAfter: time.Second}
}

// errUndecided says that a request has no outcome, and that its account is ready for one.
var errUndecided = errors.New("the request has no outcome")

// againUnavailable is the contract's error for an answer that was lost.
func againUnavailable(err error) error {
	if errors.Is(err, errAgain) {
		return &storage.UnavailableError{RetryAfter: retryAfter, Cause: err}
	}
	return err
}

func tryAgain(err error) bool { return errors.Is(err, errAgain) || errors.Is(err, errBusy) }

// outcomeOf gives the outcome of a request that has one, finishing what is pending
// for the account. A saga that nobody works on any more is given up.
func (s *Store) outcomeOf(ctx context.Context, c storage.Change, a *account, last [16]byte) ([]storage.Holding, error) {
	d := a.request
	if d != nil && d.arguments != c.Arguments {
		return nil, storage.ErrRequestConflict
	}
	if a.pending != nil {
		s.carryOn(ctx, c.Owner, a.pending)
	}
	switch {
	case d != nil && d.committed:
		return d.answer(c.Owner)
	case d != nil:
		mark := intent{request: c.Request.ID, decidedIn: storage.VshardOfOwner(c.Owner), attempt: d.attempt}
		if d.attempt != last && !d.overdue {
			return nil, errBusy
		}
		if _, err := s.abort(ctx, mark); err != nil {
			return nil, err
		}
		return nil, errAgain
	case a.pending != nil:
		return nil, errAgain
	}
	return nil, errUndecided
}

// checkPoint fails when the request's own record, where that is another row than the
// decision, says that it was used for something else.
func (s *Store) checkPoint(ctx context.Context, c storage.Change) error {
	decidedIn := storage.VshardOfOwner(c.Owner)
	if c.Request.Vshard == decidedIn {
		return nil
	}
	d, err := s.readRequest(ctx, c.Request)
	if err == nil && d != nil && (d.arguments != c.Arguments || d.decidedIn != decidedIn) {
		err = storage.ErrRequestConflict
	}
	return err
}

// sleep waits for about d, so that those who met do not meet again.
func (s *Store) sleep(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d/2 + rand.N(d))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer is the outcome of a decision that stands in a record.
func (d *decision) answer(owner string) ([]storage.Holding, error) {
	return answer(d.granted, d.since, d.expireAt, owner)
}

// answer is the outcome of a saga that was just decided.
func (g *saga) answer(d decided) ([]storage.Holding, error) {
	granted, err := g.outcome()
	if err != nil {
		return nil, err
	}
	return answer(granted, d.since, d.expireAt, g.change.Owner)
}

func answer(granted []byte, since, expireAt time.Time, owner string) ([]storage.Holding, error) {
	holdings, err := decodeGranted(granted, since, expireAt)
	for i := range holdings {
		holdings[i].Owner = owner
	}
	return holdings, err
}
