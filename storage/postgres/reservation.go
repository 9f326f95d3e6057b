package postgres

import (
	"context"

	"namegate/storage"
)

// Reservation gives what a request won and still holds.
func (s *Store) Reservation(ctx context.Context, key storage.RequestKey) ([]storage.Holding, error) {
	granted, err := s.granted(ctx, key)
	if err != nil {
		return nil, err
	}
	held := []storage.Holding{}
	for _, g := range granted {
		now, err := s.Lookup(ctx, g.Identifier)
		if err != nil {
			return nil, err
		}
		if now.Held != nil && now.Held.Grant == g.Grant {
			held = append(held, *now.Held)
		}
	}
	return held, nil
}

// Cancel gives back what a request holds. Each name is freed by its grant, so
// that one which ran out and is another's by now is left alone.
func (s *Store) Cancel(ctx context.Context, key storage.RequestKey) ([]storage.Holding, error) {
	granted, err := s.granted(ctx, key)
	if err != nil {
		return nil, err
	}
	var freed []storage.Holding
	for _, g := range granted {
		r, err := s.release(ctx, release{g.Identifier, g.Grant, storage.Reserved, causeCancel, ""})
		if err != nil {
			return nil, err
		}
		if r.freed {
			freed = append(freed, r.holding)
		}
	}
	if freed == nil {
		return nil, storage.ErrNotFound
	}
	return freed, nil
}

// granted is what the record of a request says it was granted.
func (s *Store) granted(ctx context.Context, key storage.RequestKey) ([]storage.Holding, error) {
	r, err := s.record(ctx, record{key: key})
	if err == nil && !r.known {
		err = storage.ErrNotFound
	}
	return r.outcome.granted, err
}
