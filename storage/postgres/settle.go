package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"namegate/storage"
)

// obstacle is why intents could not be laid, or errAgain where nothing was in the
// way. An intent of another saga that is in the way is settled first.
func (s *Store) obstacle(ctx context.Context, g *saga, laid []laid) error {
	for _, l := range laid {
		switch {
		case l.done:
			continue
		case l.verdict == astray:
			if err := s.routes.refresh(ctx, time.Now()); err != nil {
				s.log.Warn("read the route map", "cause", err)
			}
		case l.intent != nil && l.intent.attempt != g.attempt:
			return s.settleFirst(ctx, *l.intent)
		case l.verdict == settled && l.intent == nil && l.inTheWay.Owner != g.change.Owner:
			return &storage.HeldError{Holding: l.inTheWay}
		}
		return errAgain
	}
	return errAgain
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
	d, err := s.readRequest(ctx, storage.RequestKey{Vshard: in.decidedIn, ID: in.request})
	if err != nil {
		return false, err
	}
	ours := d != nil && d.attempt == in.attempt
	switch {
	case ours && d.committed:
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
		if gone, err := s.abort(ctx, in); err != nil || !gone {
			return false, err
		}
	}
	mark := take{id: in.id, grant: in.grant}
	return true, s.changeIn(ctx, storage.VshardOf(in.id), undo([]take{mark}, "", nil)...)
}

// recorded says that the decision gave out the grant. An intent with another one
// came too late.
func (d *decision) recorded(grant storage.Grant) (bool, error) {
	names, err := decodeGranted(d.granted, d.since, d.expireAt)
	return slices.ContainsFunc(names, func(h storage.Holding) bool { return h.Grant == grant }), err
}

// abort gives up an attempt of any replica's, unless it was decided meanwhile.
func (s *Store) abort(ctx context.Context, in intent) (bool, error) {
	key := []any{int16(in.decidedIn), uuid(in.request), uuid(in.attempt)}
	decided := false
	err := s.changeIn(ctx, in.decidedIn, statement{forgetSQL, key, drain}, statement{isDecidedSQL, key, scanOne(&decided)})
	return !decided, err
}

// readRequest reads the record of a request; nil when there is none.
func (s *Store) readRequest(ctx context.Context, key storage.RequestKey) (*decision, error) {
	return onOwner(ctx, s, key.Vshard, func(d *database) (*decision, verdict, error) {
		var row decisionRow
		ours := false
		ctx, cancel := context.WithTimeout(ctx, runTimeout)
		defer cancel()
		err := d.read(ctx, func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, append([]any{&ours}, row.fields()...), func() error { return nil })
			return err
		}, requestSQL, int16(key.Vshard), uuid(key.ID))
		switch {
		case err != nil:
			return nil, settled, domainError(err)
		case !ours:
			return nil, astray, nil
		}
		return row.decision(), settled, nil
	})
}

const requestSQL = `
SELECT coalesce(v.state IN ('OWNED', 'FROZEN'), false), ` + decisionColumns + `
FROM (SELECT $1::smallint AS vshard, $2::uuid AS id) i
LEFT JOIN LATERAL (SELECT * FROM vshards o WHERE o.vshard = i.vshard LIMIT 1) v ON true
LEFT JOIN LATERAL (SELECT * FROM requests r WHERE r.vshard = i.vshard AND r.id = i.id LIMIT 1) r ON true`

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
	for _, a := range p.acts {
		if err := s.carryOne(ctx, owner, p, a); err != nil {
			return err
		}
	}
	return s.changeIn(ctx, storage.VshardOfOwner(owner), p.clear(owner))
}

// carryOne does one act, wherever its vshard is by now.
func (s *Store) carryOne(ctx context.Context, owner string, p *pending, a act) error {
	_, err := onOwner(ctx, s, storage.VshardOf(a.id), func(d *database) (struct{}, verdict, error) {
		reached := 0
		err := d.change(ctx, p.carry(owner, []act{a}, nil, &reached)...)
		if err == nil && reached == 0 {
			return struct{}{}, astray, nil
		}
		return struct{}{}, settled, err
	})
	return err
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
