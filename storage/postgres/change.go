package postgres

import (
	"context"
	"errors"
	"time"

	"namegate/storage"
)

// planning makes a saga of an account as it is.
type planning func(*account) (*saga, error)

// change brings a request to its outcome: the one that it has, or that of a saga. What
// it gives is in the order of the saga's outcome.
func (s *Store) change(ctx context.Context, c storage.Change, plan planning) ([]storage.Holding, error) {
	var last [16]byte // the attempt before
	for _, d := range pauses {
		if err := pauseAbout(ctx, d); err != nil {
			return nil, err
		}
		var outcome []storage.Holding
		var err error
		if outcome, last, err = s.changeOnce(ctx, c, plan, last); !tryAgain(err) {
			return outcome, err
		}
	}
	return nil, &storage.OverloadedError{RetryAfter: time.Second}
}

// changeOnce looks for an outcome, and makes an attempt where there is none. It gives
// the attempt that was made last.
func (s *Store) changeOnce(ctx context.Context, c storage.Change, plan planning, last [16]byte) ([]storage.Holding, [16]byte, error) {
	if err := s.checkPoint(ctx, c); err != nil {
		return nil, last, err
	}
	a, err := s.readAccount(ctx, c.Owner, c.Request.ID)
	if err != nil {
		return nil, last, err
	}
	if outcome, known, err := s.outcomeOf(ctx, c, a, last); known || err != nil {
		return outcome, last, err
	}
	g, err := plan(a)
	if err != nil {
		return nil, last, err
	}
	result, err := s.run(ctx, g)
	if err != nil {
		return nil, g.attempt, err
	}
	outcome, err := g.answer(result)
	return outcome, g.attempt, err
}

// againUnavailable is the contract's error for an answer that was lost.
func againUnavailable(err error) error {
	if errors.Is(err, errAgain) {
		return &storage.UnavailableError{RetryAfter: retryAfter, Cause: err}
	}
	return err
}

// againUnless says to try again, unless something failed.
func againUnless(err error) error {
	if err != nil {
		return err
	}
	return errAgain
}

func tryAgain(err error) bool { return errors.Is(err, errAgain) || errors.Is(err, errBusy) }

// outcomeOf gives the outcome of a request that has one, finishing what is pending
// for the account. A saga that nobody works on any more is given up.
func (s *Store) outcomeOf(ctx context.Context, c storage.Change, a *account, last [16]byte) (outcome []storage.Holding, known bool, err error) {
	d := a.request
	undecided := d != nil && d.state == begun
	if undecided && (d.attempt == last || d.overdue) {
		_, _, err := s.abandon(ctx, attempt{storage.VshardOfOwner(c.Owner), c.Request.ID, d.attempt})
		return nil, false, againUnless(err)
	}
	if d != nil && d.arguments != c.Arguments {
		return nil, false, storage.ErrRequestConflict
	}
	if a.pending != nil {
		s.carryOn(ctx, c.Owner, a.pending)
	}
	switch {
	case undecided:
		return nil, false, errBusy
	case d != nil:
		outcome, err := d.answer(c.Owner)
		return outcome, true, err
	case a.pending != nil:
		return nil, false, errAgain
	}
	return nil, false, nil
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
