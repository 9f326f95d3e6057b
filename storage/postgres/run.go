package postgres

import (
	"context"
	"errors"
	"slices"

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
	var statements []statement
	if g.pointed() {
		statements = append(statements, g.point())
	}
	begun := false
	statements = append(statements, g.begin(g.pointed(), &begun), g.lay(g.takes, true, laid))
	statements = append(statements, decide...)
	statements = append(statements, g.pending(decided{}).carry(g.change.Owner, g.acts(), g, new(int))...)
	statements = append(statements, undo(g.takes, g.change.Actor, g)...)
	statements = append(statements, g.forget(), g.forgetPoint(true))
	if err := d.change(ctx, statements...); err != nil {
		return result, err
	}
	switch {
	case result.done:
		return result, nil
	case !begun:
		return result, errAgain
	}
	return result, s.obstacle(ctx, g, laid)
}

// runSplit takes each step in a transaction of its own.
func (s *Store) runSplit(ctx context.Context, g *saga) (decided, error) {
	if err := s.begin(ctx, g); err != nil {
		return decided{}, err
	}
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

// begin makes the request's own record, where it is another row, and the decision's.
func (s *Store) begin(ctx context.Context, g *saga) error {
	if g.pointed() {
		if err := s.changeIn(ctx, g.change.Request.Vshard, g.point()); err != nil {
			return err
		}
		if err := s.checkPoint(ctx, g.change); err != nil {
			return err
		}
	}
	begun := false
	err := s.changeIn(ctx, g.decidedIn(), g.begin(false, &begun))
	if err == nil && !begun {
		err = errAgain
	}
	return err
}

// decideSplit lays the intents, one database after the other, and decides.
func (s *Store) decideSplit(ctx context.Context, g *saga) (decided, error) {
	laid := make([]laid, len(g.takes))
	for i := range g.takes {
		err := s.changeIn(ctx, storage.VshardOf(g.takes[i].id), g.lay(g.takes[i:i+1], false, laid[i:i+1]))
		if err != nil {
			return decided{}, err
		}
		if !laid[i].done {
			return decided{}, s.obstacle(ctx, g, laid[i:i+1])
		}
		g.takes[i].grant = laid[i].grant
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

// giveUp makes sure that the attempt is never decided, and only then undoes what
// it did.
func (s *Store) giveUp(ctx context.Context, g *saga) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer cancel()
	decided := false
	if err := s.changeIn(ctx, g.decidedIn(), g.forget(), g.isDecided(&decided)); err != nil || decided {
		return err
	}
	for i, t := range g.takes {
		if err := s.changeIn(ctx, storage.VshardOf(t.id), undo(g.takes[i:i+1], g.change.Actor, nil)...); err != nil {
			return err
		}
	}
	if !g.pointed() {
		return nil
	}
	return s.changeIn(ctx, g.change.Request.Vshard, g.forgetPoint(false))
}

// change writes statements that are no part of a batch.
func (d *database) change(ctx context.Context, statements ...statement) error {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	for n := 1; ; n++ {
		err := d.write(ctx, statements...)
		switch {
		case err == nil:
			if d.wrote != nil {
				d.wrote()
			}
			return nil
		case n < attempts && rolledBack(err):
			continue
		case disconnected(err) && ctx.Err() == nil:
			return errAgain
		}
		return domainError(err)
	}
}

// changeIn writes statements in the database that has a vshard.
func (s *Store) changeIn(ctx context.Context, v storage.Vshard, statements ...statement) error {
	d, err := s.routes.of(v)
	if err != nil {
		return err
	}
	return d.change(ctx, statements...)
}
