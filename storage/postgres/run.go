package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"namegate/storage"
)

// errAgain says that an attempt came to nothing, or may have, for what will be
// otherwise the next time: the account or a name has changed since it was read, a
// vshard has moved, an answer was lost.
var errAgain = errors.New("what the change was based on has changed")

// run takes one attempt to its decision and beyond. With *storage.HeldError,
// storage.ErrNotFound and *storage.OverloadedError nothing has changed; with any
// other error the outcome is unknown.
func (s *Store) run(ctx context.Context, g *saga) (decided, error) {
	dbs, err := s.databasesOf(g)
	if err != nil {
		return decided{}, err
	}
	if len(dbs) == 1 {
		return s.runFused(ctx, dbs[0], g)
	}
	return s.runSplit(ctx, g)
}

// databasesOf are the databases that have a part in a saga, each once.
func (s *Store) databasesOf(g *saga) ([]*database, error) {
	var dbs []*database
	for _, v := range g.vshards() {
		d, err := s.routes.of(v)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(dbs, d) {
			dbs = append(dbs, d)
		}
	}
	return dbs, nil
}

// runFused takes all steps in one transaction of the one database that has all. If
// it comes to no decision, the last statements take back what the first ones did.
func (s *Store) runFused(ctx context.Context, d *database, g *saga) (decided, error) {
	var result decided
	laid := make([]laid, len(g.takes))
	decide, err := g.decideHere(&result)
	if err != nil {
		return result, err
	}
	begun := false
	statements := []statement{g.begin(&begun)}
	if g.pointed() {
		statements = append(statements, g.point(true, new(bool)))
	}
	statements = append(statements, g.lay(g.takes, true, laid))
	statements = append(statements, decide...)
	statements = append(statements, g.pending(decided{}).carry(g.change.Owner, g.acts(), g)...)
	statements = append(statements, undo(g.takes, g.change.Actor, g)...)
	statements = append(statements, g.key().forget(new(bool)), g.key().forgetPoint(g.change.Request.Vshard, true))
	asked := time.Now()
	verdict, err := d.change(ctx, g.vshards(), statements...)
	switch {
	case err != nil:
		return result, err
	case result.done:
		return result, nil
	case verdict == astray:
		s.refresh(ctx, asked)
		return result, errAgain
	case !begun:
		return result, errAgain
	}
	return result, s.obstacle(ctx, g, laid)
}

// runSplit takes each step in a transaction of its own.
func (s *Store) runSplit(ctx context.Context, g *saga) (decided, error) {
	result, err := s.decideSplit(ctx, g)
	if err != nil {
		if giveUp := s.giveUp(ctx, g); giveUp != nil {
			s.log.Warn("a change that was given up is left for others to undo", "cause", giveUp)
		}
		return decided{}, err
	}
	p := g.pending(result)
	if err := p.encode(); err != nil {
		return decided{}, err
	}
	s.carryOn(ctx, g.change.Owner, p)
	return result, nil
}

// decideSplit begins, lays the intents, one database after the other, and decides.
func (s *Store) decideSplit(ctx context.Context, g *saga) (decided, error) {
	if err := s.begin(ctx, g); err != nil {
		return decided{}, err
	}
	if err := s.layEach(ctx, g); err != nil {
		return decided{}, err
	}
	if err := s.notCancelled(ctx, g); err != nil {
		return decided{}, err
	}
	p := g.pending(decided{})
	if err := p.encode(); err != nil {
		return decided{}, err
	}
	var result decided
	statements, err := g.decideAlone(p.stored, &result)
	if err != nil {
		return decided{}, err
	}
	err = s.changeIn(ctx, g.decidedIn(), statements...)
	if err == nil && !result.done {
		err = errAgain
	}
	return result, err
}

// begin makes the decision's record and, where it is another row, the request's own.
func (s *Store) begin(ctx context.Context, g *saga) error {
	begun, pointed := false, !g.pointed()
	err := s.changeIn(ctx, g.decidedIn(), g.begin(&begun))
	if err == nil && begun && !pointed {
		err = s.changeIn(ctx, g.change.Request.Vshard, g.point(false, &pointed))
	}
	if err == nil && !(begun && pointed) {
		err = errAgain
	}
	return err
}

// layEach lays the intents beside the identifiers to take.
func (s *Store) layEach(ctx context.Context, g *saga) error {
	laid := make([]laid, len(g.takes))
	for i := range g.takes {
		err := s.changeIn(ctx, storage.VshardOf(g.takes[i].id), g.lay(g.takes[i:i+1], false, laid[i:i+1]))
		if err != nil {
			return err
		}
		if !laid[i].done {
			return s.obstacle(ctx, g, laid[i:i+1])
		}
		g.takes[i].grant = laid[i].grant
	}
	return nil
}

// giveUp makes sure that the attempt is never decided, and only then undoes what
// it did. The request's own record is left where somebody else has given the attempt
// up, as the next one may rely on it already.
func (s *Store) giveUp(ctx context.Context, g *saga) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer cancel()
	decided, forgotten, err := s.abandon(ctx, g.key())
	if err != nil || decided {
		return err
	}
	for i, t := range g.takes {
		if err := s.changeIn(ctx, storage.VshardOf(t.id), undo(g.takes[i:i+1], g.change.Actor, nil)...); err != nil {
			return err
		}
	}
	if !g.pointed() || !forgotten {
		return nil
	}
	return s.changeIn(ctx, g.change.Request.Vshard, g.key().forgetPoint(g.change.Request.Vshard, false))
}
