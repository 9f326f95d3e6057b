package postgres

import (
	"context"
	"slices"

	"namegate/storage"
)

// ReserveAll wins each candidate, records them all under the request and answers
// with what the record says. Until there is a record, nobody has a token for what
// was won, and it runs out: so a crash leaves all or none.
func (s *Store) ReserveAll(ctx context.Context, req storage.ReserveRequest) (storage.Outcomes, error) {
	won, lost, err := s.winAll(ctx, req)
	if err != nil {
		return storage.Outcomes{}, err
	}
	rec := record{key: req.Request, arguments: req.Arguments, keyID: req.KeyID}
	if lost == nil {
		rec.all, rec.since, rec.expireAt = won, won[0].Since, won[0].ExpireAt
	}
	recorded, err := s.record(ctx, rec)
	if err != nil {
		return storage.Outcomes{}, err
	}
	for _, h := range won {
		if !recorded.granted(h.Grant) {
			s.giveBack(ctx, req, h)
		}
	}
	if !recorded.known {
		return storage.Outcomes{}, lost
	}
	return recorded.answerAll(req)
}

// winAll wins candidates until one is lost. With none there is nothing to be had.
func (s *Store) winAll(ctx context.Context, req storage.ReserveRequest) (won []storage.Holding, lost, err error) {
	lost = storage.ErrNotFound
	for _, id := range req.Candidates {
		r, err := s.winSettled(ctx, req, id, false)
		if err != nil {
			return won, nil, err
		}
		if !r.won {
			return won, &storage.HeldError{Holding: r.holding}, nil
		}
		won, lost = append(won, r.holding), nil
	}
	return won, lost, nil
}

// granted says that the outcome holds a tenure.
func (r *recordResult) granted(grant storage.Grant) bool {
	for _, h := range r.outcome.granted {
		if h.Grant == grant {
			return true
		}
	}
	return false
}

// answerAll is the recorded outcome for a reserve of several identifiers.
func (r *recordResult) answerAll(req storage.ReserveRequest) (storage.Outcomes, error) {
	if r.outcome.arguments != req.Arguments {
		return storage.Outcomes{}, storage.ErrRequestConflict
	}
	holdings := slices.Clone(r.outcome.granted) // others may have the same result
	for i := range holdings {
		holdings[i].Holder = req.Request.ID
	}
	return storage.Outcomes{Holdings: holdings, KeyID: r.outcome.keyID}, nil
}
