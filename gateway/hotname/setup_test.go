package hotname_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/hotname"
	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
)

var _ registry.DenyList = (*hotname.List)(nil)

const (
	threshold = 10
	entries   = 100
)

var (
	errAway = errors.New("away")
	readAt  = time.Date(2030, 1, 2, 3, 4, 5, 6000, time.UTC)
)

func name(key string) identifier.Identifier {
	return identifier.Stored(identifier.Username, key, key, "")
}

// held is what a read of a version says of a name that has an account.
func held(key string, version int64) storage.Standing {
	h := &storage.Holding{Identifier: name(key), State: storage.Active}
	return storage.Standing{Held: h, Version: storage.Version{Epoch: 1, ID: version}, AsOf: readAt}
}

// until is one of a reservation that ends after a while.
func until(key string, version int64, left time.Duration) storage.Standing {
	s := held(key, version)
	s.Held.State, s.Held.ExpireAt = storage.Reserved, s.AsOf.Add(left)
	return s
}

// blocked is one that an operator has blocked.
func blocked(s storage.Standing) storage.Standing {
	h := *s.Held
	h.Blocked, s.Held = true, &h
	return s
}

func event(key string, change feed.Change, version int64) feed.Event {
	return feed.Event{Kind: identifier.Username, Key: key, Change: change, Epoch: 1, ID: version}
}

// clock is one that a test sets.
type clock struct{ now time.Duration }

func (c *clock) pass(d time.Duration) { c.now += d }

// world is what the databases know.
type world struct {
	mu    sync.Mutex
	rows  map[string]storage.Standing
	reads int
	most  int // at once
	now   int
	err   error
	takes time.Duration // a read
	stays time.Duration // a read, after it was told to end
}

func newWorld() *world { return &world{rows: map[string]storage.Standing{}} }

func (w *world) put(key string, s storage.Standing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rows[key] = s
}

func (w *world) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reads
}

func (w *world) atOnce() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.most
}

func (w *world) Lookup(ctx context.Context, id identifier.Identifier) (storage.Standing, error) {
	w.mu.Lock()
	w.reads++
	w.now++
	w.most = max(w.most, w.now)
	s, err, takes := w.rows[id.Key()], w.err, w.takes
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.now--
	}()
	select {
	case <-time.After(takes):
		return s, err
	case <-ctx.Done():
		<-time.After(w.stays)
		return storage.Standing{}, ctx.Err()
	}
}

// fixed is a list whose time the test sets, and that nobody runs.
type fixed struct {
	*hotname.List
	*clock
}

func options() hotname.Options {
	return hotname.Options{
		Entries: entries, Threshold: threshold, Random: func() float64 { return 0 }, Store: newWorld(),
		Broadcast: func(string, []byte) error { return nil },
	}
}

func newFixed(tb testing.TB, o hotname.Options) fixed {
	tb.Helper()
	c := &clock{now: time.Hour}
	o.Clock = func() time.Duration { return c.now }
	l, err := hotname.New(o)
	require.NoError(tb, err)
	return fixed{l, c}
}

// read has a list read a name, with such an answer.
func (f fixed) read(key string, s storage.Standing) { f.Begin(name(key))(s, nil) }

// has says whether a name is answered for.
func (f fixed) has(key string) bool {
	_, ok := f.Get(name(key))
	return ok
}

// version is that of what is listed of a name; 0 for nothing.
func (f fixed) version(key string) int64 {
	s, _ := f.Get(name(key))
	return s.Version.ID
}

// outlive lets so much time pass that nothing is listed or remembered any more.
func (f fixed) outlive() {
	for range 3 {
		f.pass(hotname.ReleaseLife)
		f.Expire()
	}
}

// message is one of an entry with much life left.
func (f fixed) message(s storage.Standing) []byte { return f.Encode(s, 50*time.Second) }

func keys(count int) (list []string) {
	for i := range count {
		list = append(list, fmt.Sprint("name", i))
	}
	return list
}
