package rediscache_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/rediscache"
	"namegate/storage/rediscache/redistest"
)

// holder is a caller whose read has been answered, but has not come back yet.
type holder struct {
	goOn  chan struct{}
	ended chan error
	got   storage.Standing
}

// hold gives a caller that has the lease of a name and waits in its read.
func hold(t testing.TB, c *rediscache.Cache, d *database, id identifier.Identifier) *holder {
	t.Helper()
	h := &holder{goOn: make(chan struct{}), ended: make(chan error, 1)}
	began := make(chan struct{})
	go func() {
		var err error
		h.got, _, err = c.Lookup(context.Background(), id, func(context.Context) (storage.Standing, error) {
			s := d.standing(id)
			close(began)
			<-h.goOn
			return s, nil
		})
		h.ended <- err
	}()
	<-began
	return h
}

func (h *holder) finish(t testing.TB) {
	t.Helper()
	close(h.goOn)
	require.NoError(t, <-h.ended)
}

func TestLateFillOfFreeIsRefused(t *testing.T) {
	t.Parallel()
	c, s, d := start(t)
	ada := name("ada")
	h := hold(t, c, d, ada) // free
	d.take(ada)
	eventually(t, func() bool { return c.Counters.Invalidations.Load() == 1 }, "the change is applied")
	h.finish(t)
	require.Nil(t, h.got.Held)
	require.Nil(t, s.Do(t, "GET", c.Keys(ada)[0]))
	require.EqualValues(t, 1, c.Counters.Refused.Load())
	held, _ := lookup(t, c, d, ada)
	require.True(t, held)
}

// Without invalidation a stale free ends with the bound, however late it was filled in.
func TestLateFillOfFreeEndsWithTheBound(t *testing.T) {
	t.Parallel()
	s, d := redistest.New(t), newDatabase("a")
	var passed atomic.Int64
	o := options(t, s.URL())
	o.Clock = func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }
	c := open(t, o)
	follow(t, c, d)
	requireLive(t, c)
	ada := name("ada")
	h := hold(t, c, d, ada)
	passed.Store(int64(time.Second))
	h.finish(t)
	ttl := time.Duration(s.Do(t, "PTTL", c.Keys(ada)[0]).(int64)) * time.Millisecond
	require.Positive(t, ttl)
	require.LessOrEqual(t, ttl, staleness-time.Second)
	s.Do(t, "DEL", c.Keys(ada)[0])
	h = hold(t, c, d, ada)
	passed.Store(int64(time.Second + staleness))
	h.finish(t)
	require.Nil(t, s.Do(t, "GET", c.Keys(ada)[0]), "nothing is left of its time")
	require.Nil(t, s.Do(t, "GET", c.Keys(ada)[2]), "the lease is given back")
}

// A Redis whose clock stands still keeps a free entry for ever: the beats tell.
func TestFreeEndsWithoutTheClockOfRedis(t *testing.T) {
	t.Parallel()
	s, d := redistest.New(t), newDatabase("a")
	o := options(t, s.URL())
	o.Staleness = time.Second
	c := open(t, o)
	follow(t, c, d)
	requireLive(t, c)
	ada := name("ada")
	key := c.Keys(ada)[0]
	eventually(t, func() bool {
		_, fromRedis := lookup(t, c, d, ada)
		return fromRedis
	}, "free comes of Redis")
	before := s.Do(t, "GET", key)
	eventually(t, func() bool {
		s.Do(t, "SET", key, before)
		_, fromRedis := lookup(t, c, d, ada)
		return !fromRedis
	}, "the entry is too old")
	for range 5 {
		s.Do(t, "SET", key, before)
		_, fromRedis := lookup(t, c, d, ada)
		require.False(t, fromRedis)
	}
}

func TestLateFillOfTakenIsRefused(t *testing.T) {
	t.Parallel()
	for what, lose := range map[string]string{"with the lease": "", "with the tombstone alone": "lease", "with the lease alone": "tombstone"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			c, s, d := start(t)
			ada := name("ada")
			d.take(ada)
			eventually(t, func() bool { return c.Counters.Invalidations.Load() == 1 }, "the change is applied")
			h := hold(t, c, d, ada) // taken
			keys := c.Keys(ada)
			lease := s.Do(t, "GET", keys[2])
			d.release(ada)
			eventually(t, func() bool { return c.Counters.Invalidations.Load() == 2 }, "the change is applied")
			require.NotNil(t, s.Do(t, "GET", keys[1]), "a tombstone")
			switch lose {
			case "lease":
				s.Do(t, "SET", keys[2], lease)
			case "tombstone":
				s.Do(t, "DEL", keys[1])
			}
			h.finish(t)
			require.Nil(t, s.Do(t, "GET", keys[0]))
			held, _ := lookup(t, c, d, ada)
			require.False(t, held)
		})
	}
}

func TestTombstonesEnd(t *testing.T) {
	t.Parallel()
	c, s, d := start(t)
	ada := name("ada")
	d.take(ada)
	eventually(t, func() bool { return c.Counters.Invalidations.Load() == 1 }, "the change is applied")
	require.Nil(t, s.Do(t, "GET", c.Keys(ada)[1]), "none where the name did not become free")
	d.release(ada)
	eventually(t, func() bool { return c.Counters.Invalidations.Load() == 2 }, "the change is applied")
	ttl := s.Do(t, "PTTL", c.Keys(ada)[1]).(int64)
	require.Positive(t, ttl)
	require.LessOrEqual(t, ttl, (2 * time.Minute).Milliseconds())
	d.take(ada)
	eventually(t, func() bool { return c.Counters.Invalidations.Load() == 3 }, "the change is applied")
	_, _ = lookup(t, c, d, ada)
	held, fromRedis := lookup(t, c, d, ada)
	require.True(t, held, "who has it since is above the tombstone")
	require.True(t, fromRedis)
}

// A holder that overruns its time takes nobody's lease away, and stores nothing.
func TestLeaseOverrun(t *testing.T) {
	t.Parallel()
	c, s, d := start(t)
	ada := name("ada")
	first := hold(t, c, d, ada)
	lease := c.Keys(ada)[2]
	require.LessOrEqual(t, s.Do(t, "PTTL", lease).(int64), int64(5000))
	s.Do(t, "DEL", lease) // its time is over
	second := hold(t, c, d, ada)
	token := s.Do(t, "GET", lease)
	first.finish(t)
	require.Equal(t, token, s.Do(t, "GET", lease))
	require.Nil(t, s.Do(t, "GET", c.Keys(ada)[0]))
	second.finish(t)
	require.NotNil(t, s.Do(t, "GET", c.Keys(ada)[0]))
	require.Nil(t, s.Do(t, "GET", lease))
}

// What was applied again, after something newer, drops nothing newer.
func TestOldChangesDropNothingNewer(t *testing.T) {
	t.Parallel()
	c, _, d := start(t)
	ada := name("ada")
	d.take(ada)
	d.release(ada)
	d.take(ada)
	eventually(t, func() bool { return c.Counters.Invalidations.Load() == 3 }, "the changes are applied")
	_, _ = lookup(t, c, d, ada)
	require.NoError(t, c.Apply(t.Context(), d.events[:2]))
	held, fromRedis := lookup(t, c, d, ada)
	require.True(t, held)
	require.True(t, fromRedis)
	require.NoError(t, c.Apply(t.Context(), d.events[2:]))
	_, fromRedis = lookup(t, c, d, ada)
	require.False(t, fromRedis)
}
