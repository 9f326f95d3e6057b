package cache_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/cache"
	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

// model is what is below a cache. It knows all reads and all that the cache was told, and so
// which reads may be behind an answer: those begun since the last change that it was told
// of, and, of what is remembered, for as long as they count.
type model struct {
	*cache.Cache
	random *rand.Rand
	step   int // counts what has happened

	mu    sync.Mutex
	now   map[string]registry.Found // of names that were ever held
	told  map[string]int            // the step of the last change that the cache was told of
	reads []*read
}

// read is one that the cache has made.
type read struct {
	key    string
	step   int
	sent   time.Time
	found  registry.Found
	finish chan error
	done   bool
}

var errRead = errors.New("the read failed")

func newModel(t *testing.T, random *rand.Rand) *model {
	t.Helper()
	m := &model{random: random, now: map[string]registry.Found{}, told: map[string]int{}}
	begun := time.Now()
	c, err := cache.New(below{m}, cache.Options{
		Entries: len(modelNames) / 2, TTL: ttl, Staleness: staleness, ReadTimeout: 2 * staleness, // longer than anybody joins
		Clock: func() time.Duration { return time.Since(begun) }, Random: func() float64 { return 0 },
	})
	require.NoError(t, err)
	m.Cache = c
	return m
}

// below is the model as its cache sees it.
type below struct{ *model }

// Lookup sees what is so when it is sent, and says it when it is finished.
func (b below) Lookup(ctx context.Context, id identifier.Identifier) (registry.Found, error) {
	r := b.begin(id.Key())
	select {
	case err := <-r.finish:
		b.mu.Lock()
		defer b.mu.Unlock()
		r.done = err == nil
		return r.found, err
	case <-ctx.Done():
		return registry.Found{}, ctx.Err()
	}
}

func (m *model) begin(key string) *read {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.now[key]
	if f.Held != nil && ended(f, time.Now()) {
		f.Held = nil
	}
	if f.Layer == "" {
		f.Layer = registry.LayerDatabase
	}
	f.AsOf = time.Now()
	r := &read{key: key, step: m.step, sent: f.AsOf, found: f, finish: make(chan error, 1)}
	m.reads = append(m.reads, r)
	return r
}

// ended says that a holding has run out, of which no change tells.
func ended(f registry.Found, now time.Time) bool {
	return !f.Held.ExpireAt.IsZero() && !f.Held.Blocked && !now.Before(f.Held.ExpireAt)
}

// change gives a name away, or takes it from whoever has it; the cache is not told.
func (m *model) change(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := registry.Found{Layer: []registry.Layer{registry.LayerDatabase, registry.LayerRedis}[m.random.IntN(2)]}
	f.Version.ID = int64(m.step)
	if m.random.IntN(3) > 0 {
		f.Held = &storage.Holding{Identifier: name(key), State: storage.Active, Blocked: m.random.IntN(4) == 0}
	}
	if f.Held != nil && m.random.IntN(2) == 0 {
		f.Held.State, f.Held.ExpireAt = storage.Reserved, time.Now().Add(m.upTo(2*ttl))
	}
	m.now[key] = f
}

// upTo is a random duration, more often a short one.
func (m *model) upTo(d time.Duration) time.Duration {
	return time.Duration(m.random.Int64N(int64(d) >> m.random.IntN(6)))
}

// pending are reads that may be finished.
func (m *model) pending() []*read {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.reads), func(r *read) bool { return r.done || len(r.finish) > 0 })
}

// toldOf is when the cache was last told of a change.
func (m *model) toldOf(key string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.told[key]
}

func (m *model) tell(keys ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range keys {
		m.told[key] = m.step
	}
}

// explained says that some read explains an answer.
func (m *model) explained(key string, s storage.Standing, by func(*read) bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.reads, func(r *read) bool {
		return r.key == key && r.done && r.found.Standing == s && by(r)
	})
}

// remembered are the reads that may be behind what is remembered at a time, when the cache
// was last told of a change at a step.
func remembered(told int, now time.Time) func(*read) bool {
	return func(r *read) bool {
		held, bound := r.found.Held, ttl
		certain := r.found.Layer == registry.LayerDatabase || held != nil && (held.ExpireAt.IsZero() || held.Blocked)
		if held == nil {
			bound = staleness
		}
		return r.step > told && certain && now.Sub(r.sent) < bound && (held == nil || !ended(r.found, now))
	}
}

// readFor are the reads that may be behind the answer to who asked at a step and time.
func readFor(told, asked int, at time.Time) func(*read) bool {
	return func(r *read) bool {
		own := r.step >= asked
		shared := r.step > told && at.Sub(r.sent) <= staleness && (r.found.Held != nil || r.found.Layer == registry.LayerDatabase)
		return own || shared
	}
}
