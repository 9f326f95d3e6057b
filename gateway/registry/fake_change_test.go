package registry_test

import (
	"context"
	"slices"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// The terms of a fakeStore.
const (
	limit      = 1 // identifiers of a kind that an account may have
	protection = 90 * 24 * time.Hour
)

func (s *fakeStore) Confirm(_ context.Context, c storage.Change, reservation storage.RequestKey) ([]storage.Holding, error) {
	return s.change(c, func() ([]storage.Holding, error) {
		rec, ok := s.records[reservation]
		if !ok || rec.cancelled {
			return nil, storage.ErrNotFound
		}
		for _, won := range rec.won {
			held, ok := s.held[placeOf(won.Identifier)]
			if ok && (held.Blocked || held.State != storage.Reserved || held.Holder != reservation.ID) {
				return nil, &storage.HeldError{Holding: held}
			}
			if len(s.owned(c.Owner, won.Identifier.Kind())) >= limit {
				return nil, &storage.LimitError{Limit: limit}
			}
		}
		return s.take(c.Owner, rec.won), nil
	})
}

func (s *fakeStore) Rename(_ context.Context, c storage.Change, to identifier.Identifier) (storage.Renamed, error) {
	done, err := s.change(c, func() ([]storage.Holding, error) {
		if (to == identifier.Identifier{}) {
			return nil, storage.ErrNotFound
		}
		names := s.owned(c.Owner, identifier.Username)
		if len(names) == 0 {
			return nil, storage.ErrNotOwner
		}
		if placeOf(names[0].Identifier) == placeOf(to) {
			names[0].Identifier = to
			return s.put(names[0]), nil
		}
		held, ok := s.held[placeOf(to)]
		if ok && (held.Blocked || held.State != storage.Protected || held.Owner != c.Owner) {
			return nil, &storage.HeldError{Holding: held}
		}
		if s.now.Before(s.allowedAt) {
			return nil, &storage.TooSoonError{AllowedAt: s.allowedAt}
		}
		taken := s.take(c.Owner, []storage.Holding{{Identifier: to}})
		return append(taken, s.leave(names[0])), nil
	})
	if err != nil {
		return storage.Renamed{}, err
	}
	renamed := storage.Renamed{Holding: done[0]}
	if len(done) > 1 {
		renamed.Former = &done[1]
	}
	return renamed, nil
}

func (s *fakeStore) Release(_ context.Context, c storage.Change, ids ...identifier.Identifier) ([]storage.Holding, error) {
	return s.change(c, func() ([]storage.Holding, error) {
		leaving := s.owned(c.Owner, identifier.Kinds()...)
		if len(ids) > 0 {
			leaving = slices.DeleteFunc(leaving, func(h storage.Holding) bool {
				return !slices.ContainsFunc(ids, func(id identifier.Identifier) bool { return placeOf(id) == placeOf(h.Identifier) })
			})
		}
		if len(leaving) < len(ids) {
			return nil, storage.ErrNotOwner
		}
		left := make([]storage.Holding, len(leaving))
		for i, h := range leaving {
			left[i] = s.leave(h)
		}
		return left, nil
	})
}

func (s *fakeStore) change(c storage.Change, do func() ([]storage.Holding, error)) ([]storage.Holding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = append(s.changes, c)
	rec, err := s.outcome(c.Request, c.Arguments, do)
	return slices.Clone(rec.won), err
}

func (s *fakeStore) Account(_ context.Context, owner string) ([]storage.Holding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookups++
	if s.failure != nil {
		return nil, s.failure
	}
	return s.owned(owner, identifier.Kinds()...), nil
}

func (s *fakeStore) Redirect(_ context.Context, former identifier.Identifier) (storage.Holding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookups++
	if s.failure != nil {
		return storage.Holding{}, s.failure
	}
	held := s.held[placeOf(former)]
	if names := s.owned(held.Owner, identifier.Username); held.State == storage.Protected && len(names) > 0 {
		return names[0], nil
	}
	return storage.Holding{}, storage.ErrNotFound
}

// owned is what an account has, by kind.
func (s *fakeStore) owned(owner string, kinds ...identifier.Kind) []storage.Holding {
	owned := []storage.Holding{}
	for _, kind := range kinds {
		for _, h := range s.held {
			if h.Identifier.Kind() == kind && h.State == storage.Active && h.Owner == owner {
				owned = append(owned, h)
			}
		}
	}
	return owned
}

// take makes identifiers an account's.
func (s *fakeStore) take(owner string, holdings []storage.Holding) []storage.Holding {
	taken := make([]storage.Holding, len(holdings))
	for i, h := range holdings {
		taken[i] = storage.Holding{Identifier: h.Identifier, State: storage.Active, Owner: owner, Since: s.now}
	}
	return s.put(taken...)
}

// leave protects a username and frees anything else.
func (s *fakeStore) leave(h storage.Holding) storage.Holding {
	h.Since = s.now
	if h.Identifier.Kind() != identifier.Username {
		delete(s.held, placeOf(h.Identifier))
		h.State = storage.Released
		return h
	}
	h.State, h.ExpireAt = storage.Protected, s.now.Add(protection)
	return s.put(h)[0]
}

func (s *fakeStore) put(holdings ...storage.Holding) []storage.Holding {
	for _, h := range holdings {
		s.held[placeOf(h.Identifier)] = h
	}
	return holdings
}
