package registry_test

import (
	"context"
	"sync"
	"time"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

// fakeDenied is a deny list that a test fills.
type fakeDenied struct {
	list map[string]storage.Standing
	mu   sync.Mutex
	seen []string
}

func (f *fakeDenied) Get(id identifier.Identifier) (storage.Standing, bool) {
	s, ok := f.list[id.Key()]
	return s, ok
}

func (f *fakeDenied) Saw(id identifier.Identifier, _ storage.Standing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = append(f.seen, id.Key())
}

func (f *fakeDenied) Blocked(id identifier.Identifier) bool {
	s, ok := f.list[id.Key()]
	return ok && s.Held.Blocked
}

// fakeCache remembers what a test tells it.
type fakeCache struct {
	registry.NoCache
	known    map[string]storage.Standing
	mu       sync.Mutex
	expected []string
}

func (f *fakeCache) Get(id identifier.Identifier) (storage.Standing, bool) {
	s, ok := f.known[id.Key()]
	return s, ok
}

// Changed is noted as what is expected is.
func (f *fakeCache) Changed(_ context.Context, id identifier.Identifier) { f.Expect(id) }

func (f *fakeCache) Expect(id identifier.Identifier) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expected = append(f.expected, id.Key())
}

// fakeFilter vouches for some names, and remembers which are about to be held.
type fakeFilter struct {
	mu       sync.Mutex
	free     map[string]bool
	expected []string
}

var filterTime = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func (f *fakeFilter) Free(id identifier.Identifier) (time.Time, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return filterTime, f.free[id.Key()]
}

func (f *fakeFilter) Expect(id identifier.Identifier) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expected = append(f.expected, id.Key())
}
