package cache_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/cache"
	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
)

// How long a read is remembered: to the nanosecond from when it was sent.
func TestWhatAReadIsWorth(t *testing.T) {
	t.Parallel()
	for title, tc := range map[string]struct {
		put  func(w *world)
		want time.Duration // 0 for not at all
	}{
		"free":                          {func(w *world) { w.free("a", registry.LayerDatabase) }, staleness},
		"active":                        {func(w *world) { w.hold("a", storage.Active, 0, registry.LayerDatabase) }, ttl},
		"reserved for long":             {func(w *world) { w.hold("a", storage.Reserved, time.Hour, registry.LayerDatabase) }, ttl},
		"reserved for less":             {func(w *world) { w.hold("a", storage.Reserved, 7*time.Second, registry.LayerDatabase) }, 7 * time.Second},
		"free by Redis":                 {func(w *world) { w.free("a", registry.LayerRedis) }, 0},
		"active by Redis":               {func(w *world) { w.hold("a", storage.Active, 0, registry.LayerRedis) }, ttl},
		"of an unknown age with an end": {func(w *world) { w.hold("a", storage.Protected, time.Hour, registry.LayerRedis) }, 0},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := setup(t)
				tc.put(b.world)
				begun := time.Now()
				b.answered = func(context.Context) { time.Sleep(time.Second) }
				want := b.ask(t, "a")
				if tc.want == 0 {
					known, _ := b.remembers("a")
					require.False(t, known)
					return
				}
				time.Sleep(tc.want - time.Since(begun) - 1)
				got, known := b.Get(name("a"))
				require.True(t, known)
				require.Equal(t, want.Standing, got)
				time.Sleep(time.Nanosecond)
				_, known = b.Get(name("a"))
				require.False(t, known)
				require.EqualValues(t, 1, b.Counters.Hits.Load())
				require.EqualValues(t, 1, b.Counters.Misses.Load())
			})
		})
	}
}

// What others are told from below is told there, too, before it is answered.
func TestWhatIsBelowIsToldOfChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Cache.Changed(t.Context(), name("a"))
	require.Equal(t, []string{"a"}, b.changed)
}

// What is read before a change, and answered after it, is not remembered, whichever way
// the change is known. This is how a stale "free" would come to stay.
func TestAReadFromBeforeAChangeIsForgotten(t *testing.T) {
	t.Parallel()
	for title, change := range map[string]func(b bench){
		"that a feed tells":   func(b bench) { b.Apply([]feed.Event{event("a", feed.Came)}) },
		"that is made here":   func(b bench) { b.Expect(name("a")) },
		"that was made here":  func(b bench) { b.Cache.Changed(context.Background(), name("a")) },
		"that may be missed":  func(b bench) { b.Forget() },
		"among very many":     func(b bench) { b.Apply(append(make([]feed.Event, 10_000), event("a", feed.Came))) },
		"told again and late": func(b bench) { b.Apply([]feed.Event{event("a", feed.Went), event("a", feed.Came)}) },
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := setup(t)
				ready, resume := make(chan struct{}), make(chan struct{})
				b.pause(ready, resume)
				answers := make(chan registry.Found)
				go func() { answers <- b.ask(t, "a") }()
				<-ready // it saw that nobody has the name
				b.goOn()
				b.hold("a", storage.Active, 0, registry.LayerDatabase)
				change(b)
				require.NotNil(t, b.ask(t, "a").Held, "who asks after the change does not wait for the read from before it")
				close(resume)
				require.Nil(t, (<-answers).Held, "who asked before it may get what was so then")
				known, held := b.remembers("a")
				require.True(t, known && held, "the newer read stays")
				change(b)
				known, _ = b.remembers("a")
				require.False(t, known)
			})
		})
	}
}

// Whatever is left of a read whose name has changed meanwhile is counted.
func TestADroppedReadIsCounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.answered = func(context.Context) { b.Expect(name("a")) }
	b.ask(t, "a")
	known, _ := b.remembers("a")
	require.False(t, known)
	require.EqualValues(t, 1, b.Counters.Dropped.Load())
}

func TestChangesOfOtherKindsAreOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hold("a", storage.Active, 0, registry.LayerDatabase)
	b.ask(t, "a")
	e := event("a", feed.Went)
	e.Kind = identifier.Email
	b.Apply([]feed.Event{e})
	known, _ := b.remembers("a")
	require.True(t, known)
}

// A thousand who ask at once cost one read, and one who leaves takes nothing from the rest.
func TestReadsAreShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.hold("a", storage.Active, 0, registry.LayerDatabase)
		ready, resume := make(chan struct{}), make(chan struct{})
		b.pause(ready, resume)
		leaving, leave := context.WithCancel(t.Context())
		first := make(chan error)
		go func() {
			_, err := b.Lookup(leaving, name("a"))
			first <- err
		}()
		<-ready
		var others sync.WaitGroup
		for range 1000 {
			others.Go(func() {
				if b.ask(t, "a").Held == nil {
					t.Error("another answer")
				}
			})
		}
		synctest.Wait()
		leave()
		require.ErrorIs(t, <-first, context.Canceled)
		close(resume)
		others.Wait()
		require.Equal(t, 1, b.reads)
		require.EqualValues(t, 1, b.Counters.Reads.Load())
		require.EqualValues(t, 1000, b.Counters.Joined.Load())
	})
}

// Between a look at what is remembered and the next step another's read may end: it is not
// done again.
func TestWhoIsTooLateToJoinFindsWhatIsRemembered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hold("a", storage.Active, 0, registry.LayerDatabase)
	first := b.ask(t, "a")
	require.Equal(t, registry.Found{Standing: first.Standing, Layer: registry.LayerLocalCache}, b.ask(t, "a"))
	b.ask(t, "b") // free
	require.Nil(t, b.ask(t, "b").Held)
	require.Equal(t, 2, b.reads)
	require.EqualValues(t, 2, b.Counters.Joined.Load())
}

// Others' names are not waited for.
func TestNamesAreApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		ready, resume := make(chan struct{}), make(chan struct{})
		b.pause(ready, resume)
		waiting := make(chan registry.Found)
		go func() { waiting <- b.ask(t, "a") }()
		<-ready
		b.goOn()
		for i := range 500 {
			b.ask(t, fmt.Sprint("other", i))
		}
		close(resume)
		<-waiting
	})
}

// Nobody joins a read that is older than the bound, and a free answer of unknown age is
// for whoever asked first.
func TestOldReadsAreNotJoined(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.answered = func(context.Context) { time.Sleep(staleness + 2*time.Second) }
		go func() { _, _ = b.Lookup(t.Context(), name("a")) }()
		time.Sleep(staleness + time.Nanosecond)
		_, err := b.Lookup(t.Context(), name("a"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 2, b.reads)
	})
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.free("a", registry.LayerRedis)
		b.answered = func(context.Context) { time.Sleep(time.Second) }
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { b.ask(t, "a") })
		}
		both.Wait()
		require.Equal(t, 2, b.reads)
	})
}

func TestFailuresAreForAllWhoWaitedAndNotRemembered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.err = &storage.UnavailableError{Cause: errors.New("away")}
		b.answered = func(context.Context) { time.Sleep(time.Millisecond) }
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if _, err := b.Lookup(t.Context(), name("a")); !errors.Is(err, b.err) {
					t.Errorf("%v", err)
				}
			})
		}
		both.Wait()
		require.Equal(t, 1, b.reads)
		b.err = nil
		b.ask(t, "a")
	})
}

// A read that nobody waits for any more ends by its own time.
func TestAReadHasItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.pause(make(chan struct{}, 1), nil)
		begun := time.Now()
		_, err := b.Lookup(t.Context(), name("a"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, readTimeout, time.Since(begun))
	})
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	_, err := cache.New(&world{}, cache.Options{})
	require.ErrorContains(t, err, "room for one")
	require.ErrorContains(t, err, "times")
	require.ErrorContains(t, err, "clock")
}
