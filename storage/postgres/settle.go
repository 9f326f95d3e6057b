package postgres

import (
	"context"
	"errors"
	"time"

	"namegate/storage"
)

// obstacle is why intents could not be laid, or errAgain where nothing was in the
// way. An intent of another saga that is in the way is settled first.
func (s *Store) obstacle(ctx context.Context, g *saga, laid []laid) error {
	for _, l := range laid {
		switch {
		case l.done:
			continue
		case l.intent != nil && l.intent.attempt != g.key():
			return s.settleFirst(ctx, *l.intent)
		case l.inTheWay != nil && l.intent == nil && closedTo(l.inTheWay, g.change.Owner):
			return &storage.HeldError{Holding: *l.inTheWay}
		}
		return errAgain
	}
	return errAgain
}

// closedTo says that a holding keeps an account away. What the account itself has, it has
// taken since it was read.
func closedTo(h *storage.Holding, owner string) bool {
	return h.Owner != owner || h.Blocked && h.State != storage.Active
}

// settleFirst settles an intent and says to try again; busy is the saga of another
// replica, which is waited for.
func (s *Store) settleFirst(ctx context.Context, in intent) error {
	done, err := s.settle(ctx, in)
	switch {
	case err != nil:
		return err
	case !done:
		return errBusy
	}
	return errAgain
}

// errBusy says that another saga is under way with what this one needs.
var errBusy = errors.New("another change is under way")

// settle brings the saga of an intent to its end: it carries out what was decided,
// or undoes the intent of an attempt that was given up. An attempt that is not
// decided is given up when its time is over; before that settle says false.
func (s *Store) settle(ctx context.Context, in intent) (bool, error) {
	d, err := s.readRequest(ctx, storage.RequestKey{Vshard: in.attempt.decidedIn, ID: in.attempt.request})
	if err != nil {
		return false, err
	}
	ours := d != nil && d.attempt == in.attempt.id
	switch {
	case ours && d.state == committed:
		recorded, err := d.recorded(in.grant)
		if err != nil {
			return false, err
		}
		if recorded {
			return true, s.finish(ctx, d.owner)
		}
	case ours && !in.overdue:
		return false, nil
	case ours:
		if decided, _, err := s.abandon(ctx, in.attempt); err != nil || decided {
			return false, err
		}
	}
	mark := take{id: in.id, grant: in.grant}
	return true, s.changeIn(ctx, storage.VshardOf(in.id), undo([]take{mark}, "", nil)...)
}

// finish carries out what is pending for an account.
func (s *Store) finish(ctx context.Context, owner string) error {
	a, err := s.readAccount(ctx, owner, storage.RequestID{})
	if err != nil || a.pending == nil {
		return err
	}
	return s.carryOut(ctx, owner, a.pending)
}

// carryOut does what was decided in each database, and notes that it is done.
func (s *Store) carryOut(ctx context.Context, owner string, p *pending) error {
	for i, a := range p.acts {
		if err := s.changeIn(ctx, storage.VshardOf(a.id), p.carry(owner, p.acts[i:i+1], nil)...); err != nil {
			return err
		}
	}
	return s.changeIn(ctx, storage.VshardOfOwner(owner), p.clear(owner))
}

// carryTime is how long a caller waits for what follows from a decision that is
// made already; it goes on behind the answer.
const carryTime = 250 * time.Millisecond

// carryOn carries a decision out, in the background when it takes longer.
func (s *Store) carryOn(ctx context.Context, owner string, p *pending) {
	done := make(chan struct{})
	s.running.Go(func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), runTimeout)
		defer cancel()
		if err := s.carryOut(ctx, owner, p); err != nil {
			s.log.Warn("a decided change is left for others to carry out", "cause", err)
		}
	})
	wait := time.NewTimer(carryTime)
	defer wait.Stop()
	select {
	case <-done:
	case <-wait.C:
	case <-ctx.Done():
	}
}
