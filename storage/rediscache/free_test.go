package rediscache_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/rediscache"
	"namegate/storage/rediscache/redistest"
)

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

// An entry counts from before its read was sent, however long the read took.
func TestAFreeEntryIsAsOldAsItsRead(t *testing.T) {
	t.Parallel()
	c, s, _ := start(t)
	ada, sent := name("ada"), uint64(0)
	_, _, err := c.Lookup(t.Context(), ada, func(context.Context) (storage.Standing, error) {
		sent = c.Beat()
		eventually(t, func() bool { return c.Beat() > sent+1 }, "time goes on")
		return storage.Standing{Version: storage.Version{Epoch: 1}}, nil
	})
	require.NoError(t, err)
	beat, err := rediscache.BeatOf(ada, s.Do(t, "GET", c.Keys(ada)[0]).(string))
	require.NoError(t, err)
	require.LessOrEqual(t, beat, sent)
}
