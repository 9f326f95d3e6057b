package registry_test

import (
	"context"
	"sync"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// fakeStore keeps the storage contract in memory, as far as the registry can see.
type fakeStore struct {
	mu       sync.Mutex
	now      time.Time
	held     map[place]storage.Holding
	records  map[storage.RequestKey]record
	failure  error // what every call answers when set
	lookups  int
	requests []storage.ReserveRequest
	changes  []storage.Change
	// allowedAt is when accounts may be renamed again; zero for at once.
	allowedAt time.Time
}

// place is where a holding stands.
type place struct {
	kind identifier.Kind
	key  string
}

func placeOf(id identifier.Identifier) place { return place{id.Kind(), id.Key()} }

// record is the outcome of a request.
type record struct {
	arguments [32]byte
	keyID     storage.KeyID
	won       []storage.Holding
	cancelled bool
}

func newFakeStore(now time.Time) *fakeStore {
	return &fakeStore{
		now:     now,
		held:    map[place]storage.Holding{},
		records: map[storage.RequestKey]record{},
	}
}

// hold puts somebody's holding under the key of id.
func (s *fakeStore) hold(id identifier.Identifier, state storage.State) {
	s.give("", id, state)
}

// give puts a holding of an account under the key of id.
func (s *fakeStore) give(owner string, id identifier.Identifier, state storage.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[placeOf(id)] = storage.Holding{Identifier: id, State: state, Owner: owner, Since: s.now}
}

// block blocks what stands under the key of id, or nothing.
func (s *fakeStore) block(id identifier.Identifier) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.held[placeOf(id)]
	if !ok {
		held = storage.Holding{Identifier: id, State: storage.Released, Since: s.now}
	}
	held.Blocked = true
	s.held[placeOf(id)] = held
}

// free takes away what stands under the key of id.
func (s *fakeStore) free(id identifier.Identifier) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, placeOf(id))
}

func (s *fakeStore) Lookup(_ context.Context, id identifier.Identifier) (storage.Standing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookups++
	if s.failure != nil {
		return storage.Standing{}, s.failure
	}
	standing := storage.Standing{AsOf: s.now}
	if held, ok := s.held[placeOf(id)]; ok {
		standing.Held = &held
	}
	return standing, nil
}

func (s *fakeStore) Reserve(_ context.Context, req storage.ReserveRequest) (storage.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	rec, err := s.outcome(req.Request, req.Arguments, func() ([]storage.Holding, error) {
		for _, id := range req.Candidates {
			if _, ok := s.held[placeOf(id)]; !ok {
				return s.reserve(req, id), nil
			}
		}
		return nil, s.lost(req.Candidates)
	})
	if err != nil {
		return storage.Outcome{}, err
	}
	return storage.Outcome{Holding: rec.won[0], KeyID: rec.keyID}, nil
}

func (s *fakeStore) ReserveAll(_ context.Context, req storage.ReserveRequest) (storage.Outcomes, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	rec, err := s.outcome(req.Request, req.Arguments, func() ([]storage.Holding, error) {
		if err := s.lost(req.Candidates); err != nil {
			return nil, err
		}
		return s.reserve(req, req.Candidates...), nil
	})
	return storage.Outcomes{Holdings: rec.won, KeyID: rec.keyID}, err
}

// outcome is the one that a request has, or else what do makes.
func (s *fakeStore) outcome(
	key storage.RequestKey, arguments [32]byte, do func() ([]storage.Holding, error),
) (record, error) {
	if s.failure != nil {
		return record{}, s.failure
	}
	if rec, ok := s.records[key]; ok {
		if rec.arguments != arguments {
			return record{}, storage.ErrRequestConflict
		}
		return rec, nil
	}
	won, err := do()
	if err != nil {
		return record{}, err
	}
	rec := record{arguments: arguments, won: won}
	if len(s.requests) > 0 {
		rec.keyID = s.requests[len(s.requests)-1].KeyID
	}
	s.records[key] = rec
	return rec, nil
}

// lost is the error for the first of ids that is held, nil when none is.
func (s *fakeStore) lost(ids []identifier.Identifier) error {
	if len(ids) == 0 {
		return storage.ErrNotFound
	}
	for _, id := range ids {
		if held, ok := s.held[placeOf(id)]; ok {
			return &storage.HeldError{Holding: held}
		}
	}
	return nil
}

func (s *fakeStore) reserve(req storage.ReserveRequest, ids ...identifier.Identifier) []storage.Holding {
	won := make([]storage.Holding, len(ids))
	for i, id := range ids {
		won[i] = storage.Holding{
			Identifier: id, State: storage.Reserved, Holder: req.Request.ID, Since: s.now, ExpireAt: s.now.Add(req.TTL),
		}
		s.held[placeOf(id)] = won[i]
	}
	return won
}

func (s *fakeStore) Reservation(_ context.Context, key storage.RequestKey) ([]storage.Holding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookups++
	rec, ok := s.records[key]
	if !ok {
		return nil, storage.ErrNotFound
	}
	held := []storage.Holding{}
	for _, won := range rec.won {
		if h := s.held[placeOf(won.Identifier)]; h.State == storage.Reserved && h.Holder == key.ID {
			held = append(held, h)
		}
	}
	return held, nil
}

func (s *fakeStore) Cancel(ctx context.Context, key storage.RequestKey) ([]storage.Holding, error) {
	held, err := s.Reservation(ctx, key)
	if err != nil || len(held) == 0 {
		return nil, storage.ErrNotFound
	}
	for _, h := range held {
		s.free(h.Identifier)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	rec := s.records[key]
	rec.cancelled = true
	s.records[key] = rec
	return held, nil
}
