package rediscache_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/feed"
	"namegate/storage/rediscache/redistest"
)

// requireCached asks until the answer is a taken name, from Redis.
func requireCached(t *testing.T, get func() (held, fromRedis bool)) {
	t.Helper()
	eventually(t, func() bool { held, fromRedis := get(); return held && fromRedis }, "a taken name comes of Redis")
}

// Whatever may have lost invalidations, what was cached before is not seen again.
func TestNothingSurvivesALostPosition(t *testing.T) {
	t.Parallel()
	for what, lose := range map[string]func(t *testing.T, s *redistest.Server, d *database, position, generation string){
		"the position":   func(t *testing.T, s *redistest.Server, _ *database, position, _ string) { s.Do(t, "DEL", position) },
		"the generation": func(t *testing.T, s *redistest.Server, _ *database, _, generation string) { s.Do(t, "DEL", generation) },
		"half of it": func(t *testing.T, s *redistest.Server, _ *database, position, _ string) {
			s.Do(t, "SET", position, "x")
		},
		"it is void": func(_ *testing.T, _ *redistest.Server, d *database, _, _ string) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.source.Timeline++
		},
		"another history": func(t *testing.T, s *redistest.Server, _ *database, _, _ string) {
			s.Do(t, "REPLICAOF", "127.0.0.1", "1")
			s.Do(t, "REPLICAOF", "NO", "ONE")
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			c, s, d := start(t)
			ada := name("ada")
			d.take(ada)
			eventually(t, func() bool { return c.Counters.Invalidations.Load() == 1 }, "the change is applied")
			requireCached(t, func() (bool, bool) { return lookup(t, c, d, ada) })
			old := s.Do(t, "GET", c.GenerationKey())
			reads := d.reads.Load()
			lose(t, s, d, c.PositionKey("a"), c.GenerationKey())
			eventually(t, func() bool { return c.Counters.Generations.Load() == 2 }, "all is void")
			require.NotEqual(t, old, s.Do(t, "GET", c.GenerationKey()))
			eventually(t, func() bool { lookup(t, c, d, ada); return d.reads.Load() > reads }, "the database is asked")
			requireCached(t, func() (bool, bool) { return lookup(t, c, d, ada) })
			d.release(ada)
			eventually(t, func() bool { held, _ := lookup(t, c, d, ada); return !held }, "changes are applied again")
		})
	}
}

// Two leaders waste work alone.
func TestTwoLeaders(t *testing.T) {
	t.Parallel()
	c, s, d := start(t)
	other := open(t, options(t, s.URL()))
	follow(t, other, d)
	ada := name("ada")
	for range 10 {
		s.Do(t, "DEL", c.LockKey("a"))
		d.take(ada)
		requireCached(t, func() (bool, bool) { return lookup(t, c, d, ada) })
		d.release(ada)
		eventually(t, func() bool { held, _ := lookup(t, c, d, ada); return !held }, "the name is free")
	}
	require.Positive(t, other.Counters.Invalidations.Load(), "the other one led at times")
	require.EqualValues(t, 1, c.Counters.Generations.Load()+other.Counters.Generations.Load())
}

// One leads at a time; the next one goes on where it stopped, at once if it said so.
func TestLeadersFollowEachOther(t *testing.T) {
	t.Parallel()
	s, d := redistest.New(t), newDatabase("a")
	first, second := open(t, options(t, s.URL())), open(t, options(t, s.URL()))
	stop := follow(t, first, d)
	requireLive(t, first)
	d.take(name("ada"))
	eventually(t, func() bool { return first.Counters.Invalidations.Load() == 1 }, "the change is applied")
	eventually(t, d.polled, "the position is stored")
	follow(t, second, d)
	d.take(name("bob"))
	eventually(t, func() bool { return first.Counters.Invalidations.Load() == 2 }, "the change is applied")
	require.Zero(t, second.Counters.Invalidations.Load())
	lock := s.Do(t, "GET", first.LockKey("a"))
	stop()
	require.NotEqual(t, lock, s.Do(t, "GET", first.LockKey("a")), "given back")
	d.take(name("cyd"))
	eventually(t, func() bool { return second.Counters.Invalidations.Load() > 0 }, "the other one goes on")
	require.EqualValues(t, 1, first.Counters.Generations.Load()+second.Counters.Generations.Load())
}

// dying is a leader that never comes to store its position.
type dying struct {
	*database
	applied chan struct{}
}

func (d *dying) Poll(ctx context.Context, from feed.Position, apply func([]feed.Event) error) (feed.Poll, error) {
	poll, err := d.database.Poll(ctx, from, apply)
	if err == nil && poll.Position.Xmax > from.Xmax {
		close(d.applied)
		<-ctx.Done()
		return feed.Poll{}, errors.New("dead")
	}
	return poll, err
}

func TestWhatALeaderDidNotStoreIsAppliedAgain(t *testing.T) {
	t.Parallel()
	s, d := redistest.New(t), newDatabase("a")
	first, second := open(t, options(t, s.URL())), open(t, options(t, s.URL()))
	leader := &dying{d, make(chan struct{})}
	ctx, kill := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		first.NewInvalidator([]feed.Reader{leader}).Run(ctx)
	}()
	requireLive(t, first)
	d.take(name("ada"))
	<-leader.applied
	require.EqualValues(t, 1, first.Counters.Invalidations.Load())
	follow(t, second, d) // while the first one holds on, until its lock is over
	eventually(t, func() bool { return second.Counters.Invalidations.Load() == 1 }, "the same change again")
	kill()
	<-ended
}

// Scripts are unknown to a server that has forgotten them.
func TestApplyTeachesTheScript(t *testing.T) {
	t.Parallel()
	c, s, d := start(t)
	d.take(name("ada"))
	d.release(name("ada"))
	eventually(t, func() bool { return c.Counters.Invalidations.Load() == 2 }, "the changes are applied")
	s.Do(t, "SCRIPT", "FLUSH")
	s.Do(t, "DEL", c.Keys(name("ada"))[1])
	require.NoError(t, c.Apply(t.Context(), d.events))
	require.NotNil(t, s.Do(t, "GET", c.Keys(name("ada"))[1]))
}

// A cache has one generation for all databases, and a position for each.
func TestTwoDatabases(t *testing.T) {
	t.Parallel()
	s, a, b := redistest.New(t), newDatabase("a"), newDatabase("b")
	c := open(t, options(t, s.URL()))
	follow(t, c, a, b)
	eventually(t, func() bool { return c.Counters.Generations.Load() == 2 }, "both begin")
	requireLive(t, c)
	a.take(name("ada"))
	b.take(name("bob"))
	requireCached(t, func() (bool, bool) { return lookup(t, c, a, name("ada")) })
	requireCached(t, func() (bool, bool) { return lookup(t, c, b, name("bob")) })
	reads := b.reads.Load()
	s.Do(t, "DEL", c.PositionKey("a"))
	eventually(t, func() bool { lookup(t, c, b, name("bob")); return b.reads.Load() > reads }, "the other's entries are void, too")
	b.release(name("bob"))
	eventually(t, func() bool { held, _ := lookup(t, c, b, name("bob")); return !held }, "the other goes on")
}
