package postgres

import (
	"context"
	"errors"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// giveBackTimeout bounds the return of a name that another outcome of the same
// request made superfluous; if it fails the name is free again when it runs out.
const giveBackTimeout = 2 * time.Second

// Reserve wins the first candidate that is free, records that under the request
// and answers with what the record says.
func (s *Store) Reserve(ctx context.Context, req storage.ReserveRequest) (storage.Outcome, error) {
	var lost error = storage.ErrNotFound
	for _, id := range req.Candidates {
		h, err := s.reserveOne(ctx, req, id)
		var held *storage.HeldError
		switch {
		case err == nil:
			return s.conclude(ctx, req, h)
		case !errors.As(err, &held):
			return storage.Outcome{}, err
		case lost == storage.ErrNotFound:
			lost = held
		}
	}
	return s.earlier(ctx, req, lost)
}

// reserveOne wins an identifier, or fails with *storage.HeldError.
func (s *Store) reserveOne(ctx context.Context, req storage.ReserveRequest, id identifier.Identifier) (storage.Holding, error) {
	try := win{id: id, grant: s.newGrant(), holder: req.Request.ID, actor: req.Actor, ttl: req.TTL}
	r, err := onOwner(ctx, s, storage.VshardOf(id), func(d *database) (winResult, verdict, error) {
		r, err := d.wins.do(ctx, try)
		return r, r.verdict, err
	})
	if err == nil && !r.won {
		err = &storage.HeldError{Holding: r.holding}
	}
	return r.holding, err
}

// conclude records what was won and answers with what then stands in the
// record. What was won and does not stand there is given back.
func (s *Store) conclude(ctx context.Context, req storage.ReserveRequest, won storage.Holding) (storage.Outcome, error) {
	granted := []storage.Holding{won}
	r, err := s.record(ctx, record{req.Request, req.Arguments, req.KeyID, granted})
	if err != nil {
		return storage.Outcome{}, err
	}
	if len(r.outcome.granted) != 1 || r.outcome.granted[0].Grant != won.Grant {
		s.giveBack(ctx, req, won)
	}
	return r.answer(req)
}

// earlier answers with the request's outcome, if it has one, else with err: a
// name that this very request got before may be another's by now.
func (s *Store) earlier(ctx context.Context, req storage.ReserveRequest, err error) (storage.Outcome, error) {
	r, readErr := s.record(ctx, record{key: req.Request})
	switch {
	case readErr != nil:
		return storage.Outcome{}, readErr
	case !r.known:
		return storage.Outcome{}, err
	}
	return r.answer(req)
}

// answer is the recorded outcome for a reserve of one identifier.
func (r recordResult) answer(req storage.ReserveRequest) (storage.Outcome, error) {
	if r.outcome.arguments != req.Arguments || len(r.outcome.granted) != 1 {
		return storage.Outcome{}, storage.ErrRequestConflict
	}
	h := r.outcome.granted[0]
	h.Holder = req.Request.ID
	return storage.Outcome{Holding: h, KeyID: r.outcome.keyID}, nil
}

// record finds or makes the outcome of a request.
func (s *Store) record(ctx context.Context, rec record) (recordResult, error) {
	return onOwner(ctx, s, rec.key.Vshard, func(d *database) (recordResult, verdict, error) {
		r, err := d.records.do(ctx, rec)
		return r, r.verdict, err
	})
}

// giveBack frees what was won in vain, also when the caller has left.
func (s *Store) giveBack(ctx context.Context, req storage.ReserveRequest, won storage.Holding) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTimeout)
	defer cancel()
	if _, err := s.release(ctx, release{won.Identifier, won.Grant, storage.Reserved, causeCancel, req.Actor}); err != nil {
		s.log.Warn("a name won in vain stays reserved until it runs out", "cause", err)
	}
}

// release frees one tenure.
func (s *Store) release(ctx context.Context, rel release) (releaseResult, error) {
	return onOwner(ctx, s, storage.VshardOf(rel.id), func(d *database) (releaseResult, verdict, error) {
		r, err := d.releases.do(ctx, rel)
		return r, r.verdict, err
	})
}
