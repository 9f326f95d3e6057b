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
	held     map[string]storage.Holding
	records  map[storage.RequestKey]record
	failure  error // what every call answers when set
	lookups  int
	requests []storage.ReserveRequest
}

type record struct {
	arguments [32]byte
	won       storage.Outcome
}

func newFakeStore(now time.Time) *fakeStore {
	return &fakeStore{
		now:     now,
		held:    map[string]storage.Holding{},
		records: map[storage.RequestKey]record{},
	}
}

// hold puts a holding under the key of id.
func (s *fakeStore) hold(id identifier.Identifier, state storage.State) {
	s.held[id.Key()] = storage.Holding{Identifier: id, State: state}
}

func (s *fakeStore) Lookup(_ context.Context, id identifier.Identifier) (storage.Standing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookups++
	if s.failure != nil {
		return storage.Standing{}, s.failure
	}
	standing := storage.Standing{AsOf: s.now}
	if held, ok := s.held[id.Key()]; ok {
		standing.Held = &held
	}
	return standing, nil
}

func (s *fakeStore) Reserve(_ context.Context, req storage.ReserveRequest) (storage.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	if s.failure != nil {
		return storage.Outcome{}, s.failure
	}
	if earlier, ok := s.records[req.Request]; ok {
		if earlier.arguments != req.Arguments {
			return storage.Outcome{}, storage.ErrRequestConflict
		}
		return earlier.won, nil
	}
	return s.grant(req)
}

func (s *fakeStore) grant(req storage.ReserveRequest) (storage.Outcome, error) {
	if len(req.Candidates) == 0 {
		return storage.Outcome{}, storage.ErrNotFound
	}
	for _, id := range req.Candidates {
		if _, ok := s.held[id.Key()]; ok {
			continue
		}
		won := storage.Outcome{Holding: storage.Holding{
			Identifier: id, State: storage.Reserved, Holder: req.Request.ID, Since: s.now, ExpireAt: s.now.Add(req.TTL),
		}, KeyID: req.KeyID}
		s.held[id.Key()] = won.Holding
		s.records[req.Request] = record{arguments: req.Arguments, won: won}
		return won, nil
	}
	return storage.Outcome{}, &storage.HeldError{Holding: s.held[req.Candidates[0].Key()]}
}

func (s *fakeStore) Reservation(_ context.Context, key storage.RequestKey) ([]storage.Holding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookups++
	earlier, ok := s.records[key]
	if !ok {
		return nil, storage.ErrNotFound
	}
	held, ok := s.held[earlier.won.Holding.Identifier.Key()]
	if !ok || held.Holder != key.ID {
		return []storage.Holding{}, nil
	}
	return []storage.Holding{held}, nil
}

func (s *fakeStore) Cancel(ctx context.Context, key storage.RequestKey) ([]storage.Holding, error) {
	held, err := s.Reservation(ctx, key)
	if err != nil || len(held) == 0 {
		return nil, storage.ErrNotFound
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, held[0].Identifier.Key())
	return held, nil
}
