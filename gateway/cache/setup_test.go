package cache_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/cache"
	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
)

const (
	ttl         = 20 * time.Second
	staleness   = 5 * time.Second
	readTimeout = 3 * time.Second
)

func name(key string) identifier.Identifier {
	return identifier.Stored(identifier.Username, key, key, key)
}

// world is what below knows, by key: version 0 for a name that nobody has.
type world struct {
	mu    sync.Mutex
	now   map[string]registry.Found
	reads int
	err   error
	// changed are the names that it was told of.
	changed []string
	// answered, when set, is called between a read and its answer.
	answered func(context.Context)
}

func (w *world) Lookup(ctx context.Context, id identifier.Identifier) (registry.Found, error) {
	w.mu.Lock()
	w.reads++
	f, ok := w.now[id.Key()]
	if !ok {
		f.Layer = registry.LayerDatabase
	}
	err, answered := w.err, w.answered
	w.mu.Unlock()
	if answered != nil {
		answered(ctx)
	}
	if err != nil {
		return registry.Found{}, err
	}
	return f, ctx.Err()
}

// hold makes a name held until an end, or for ever at 0, as a layer says.
func (w *world) hold(key string, state storage.State, left time.Duration, layer registry.Layer) {
	asOf := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	h := storage.Holding{Identifier: name(key), State: state}
	if left > 0 {
		h.ExpireAt = asOf.Add(left)
	}
	w.put(key, registry.Found{Standing: storage.Standing{Held: &h, AsOf: asOf}, Layer: layer})
}

func (w *world) free(key string, layer registry.Layer) { w.put(key, registry.Found{Layer: layer}) }

func (w *world) put(key string, f registry.Found) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now[key] = f
}

// pause has reads wait between what they saw and their answer, until they may go on.
func (w *world) pause(ready chan<- struct{}, resume <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered = func(ctx context.Context) {
		ready <- struct{}{}
		select {
		case <-resume:
		case <-ctx.Done():
		}
	}
}

// Changed is told of changes that are made here.
func (w *world) Changed(_ context.Context, id identifier.Identifier) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed = append(w.changed, id.Key())
}

func (w *world) goOn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered = nil
}

type bench struct {
	*cache.Cache
	*world
}

// setup makes a cache whose clock is that of package time.
func setup(tb testing.TB) bench {
	tb.Helper()
	w := &world{now: map[string]registry.Found{}}
	begun := time.Now()
	c, err := cache.New(w, cache.Options{
		Entries: 1000, TTL: ttl, Staleness: staleness, ReadTimeout: readTimeout,
		Clock: func() time.Duration { return time.Since(begun) }, Random: func() float64 { return 0 },
	})
	require.NoError(tb, err)
	tb.Cleanup(c.Close)
	return bench{c, w}
}

// Lookup is that of the cache; the world's is below it.
func (b bench) Lookup(ctx context.Context, id identifier.Identifier) (registry.Found, error) {
	return b.Cache.Lookup(ctx, id)
}

// ask asks for a name and requires an answer.
func (b bench) ask(tb testing.TB, key string) registry.Found {
	tb.Helper()
	f, err := b.Lookup(tb.Context(), name(key))
	require.NoError(tb, err)
	return f
}

// remembers says whether the cache knows of a name, and then whether it is held.
func (b bench) remembers(key string) (known, held bool) {
	s, known := b.Get(name(key))
	return known, s.Held != nil
}

func event(key string, change feed.Change) feed.Event {
	return feed.Event{Kind: identifier.Username, Key: key, Change: change}
}
