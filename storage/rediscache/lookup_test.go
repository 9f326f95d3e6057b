package rediscache_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/rediscache/redistest"
)

func TestTakenAndFreeComeOfRedis(t *testing.T) {
	t.Parallel()
	c, s, d := start(t)
	ada, bob := name("ada"), name("bob")
	d.take(ada)
	other := open(t, options(t, s.URL()))
	requireLive(t, other)
	eventually(t, func() bool { return c.Counters.Invalidations.Load() == 1 }, "the change is applied")
	held, fromRedis := lookup(t, c, d, ada)
	require.True(t, held)
	require.False(t, fromRedis)
	got, fromRedis, err := other.Lookup(t.Context(), ada, d.read(ada))
	require.NoError(t, err)
	require.True(t, fromRedis)
	require.Equal(t, d.standing(ada).Version, got.Version)
	require.Equal(t, storage.Active, got.Held.State)
	require.Equal(t, "ada", got.Held.Identifier.Canonical())
	require.NotZero(t, got.AsOf)

	_, _ = lookup(t, c, d, bob)
	// Known to be fresh once a beat was sent that cannot be newer than the read.
	eventually(t, func() bool { held, fromRedis := lookup(t, c, d, bob); return !held && fromRedis }, "free comes of Redis")
	require.Positive(t, c.Counters.Hits.Load())
	require.Positive(t, c.Counters.Misses.Load())
	require.EqualValues(t, 1, other.Counters.Hits.Load())
}

func TestPrivateKindsAreNotCached(t *testing.T) {
	t.Parallel()
	c, s, d := start(t)
	mail := identifier.Stored(identifier.Email, "0123abcd", "", "")
	d.take(mail)
	eventually(t, func() bool { return d.polled() }, "the change was polled")
	for range 2 {
		_, fromRedis := lookup(t, c, d, mail)
		require.False(t, fromRedis)
	}
	require.EqualValues(t, 2, d.reads.Load())
	require.Empty(t, s.Do(t, "KEYS", "*0123abcd*"))
	require.Zero(t, c.Counters.Invalidations.Load())
}

func TestManyFillersReadOnce(t *testing.T) {
	t.Parallel()
	c, s, d := start(t)
	other := open(t, options(t, s.URL()))
	requireLive(t, other)
	ada := name("ada")
	d.take(ada)
	eventually(t, func() bool { return c.Counters.Invalidations.Load() == 1 }, "the change is applied")
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() { lookup(t, c, d, ada) })
		all.Go(func() { lookup(t, other, d, ada) })
	}
	all.Wait()
	require.EqualValues(t, 1, d.reads.Load())
	require.EqualValues(t, 1, c.Counters.Fills.Load()+other.Counters.Fills.Load())
}

func TestWaitersReadForThemselvesInTheEnd(t *testing.T) {
	t.Parallel()
	c, _, d := start(t)
	ada := name("ada")
	h := hold(t, c, d, ada)
	held, fromRedis := lookup(t, c, d, ada)
	require.False(t, held)
	require.False(t, fromRedis)
	require.EqualValues(t, 1, c.Counters.Waits.Load())
	require.EqualValues(t, 1, d.reads.Load())
	h.finish(t)
}

func TestWhoFailsToReadGivesTheLeaseBack(t *testing.T) {
	t.Parallel()
	c, s, d := start(t)
	ada := name("ada")
	away := errors.New("database is away")
	_, _, err := c.Lookup(t.Context(), ada, func(context.Context) (storage.Standing, error) { return storage.Standing{}, away })
	require.ErrorIs(t, err, away)
	require.Nil(t, s.Do(t, "GET", c.Keys(ada)[2]))

	ctx, leave := context.WithCancel(t.Context())
	_, _, err = c.Lookup(ctx, ada, func(ctx context.Context) (storage.Standing, error) {
		leave()
		return storage.Standing{}, ctx.Err()
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, s.Do(t, "GET", c.Keys(ada)[2]), "also when the caller has left")
	_, _ = lookup(t, c, d, ada)
	require.EqualValues(t, 1, c.Counters.Fills.Load())
}

func TestReservationsEndInTime(t *testing.T) {
	t.Parallel()
	c, s, _ := start(t)
	now := time.Now()
	ttl := func(id identifier.Identifier, h storage.Holding) time.Duration {
		h.Identifier = id
		_, _, err := c.Lookup(t.Context(), id, func(context.Context) (storage.Standing, error) {
			return storage.Standing{Held: &h, AsOf: now, Version: storage.Version{Epoch: 1, ID: 1}}, nil
		})
		require.NoError(t, err)
		return time.Duration(s.Do(t, "PTTL", c.Keys(id)[0]).(int64)) * time.Millisecond
	}
	soon := now.Add(time.Minute)
	reserved := ttl(name("ada"), storage.Holding{State: storage.Reserved, ExpireAt: soon})
	require.LessOrEqual(t, reserved, time.Minute)
	require.Greater(t, reserved, 50*time.Second)
	blocked := ttl(name("bob"), storage.Holding{State: storage.Reserved, ExpireAt: soon, Blocked: true})
	require.Greater(t, blocked, 50*time.Minute, "nobody may have it after that either")
	require.Negative(t, ttl(name("cyd"), storage.Holding{State: storage.Reserved, ExpireAt: now}), "no entry")
	require.LessOrEqual(t, ttl(name("dee"), storage.Holding{State: storage.Active}), time.Hour)
}

func TestDamagedEntriesAreOverwritten(t *testing.T) {
	t.Parallel()
	c, s, d := start(t)
	ada := name("ada")
	d.take(ada)
	eventually(t, func() bool { return c.Counters.Invalidations.Load() == 1 }, "the change is applied")
	_, _ = lookup(t, c, d, ada)
	good := s.Do(t, "GET", c.Keys(ada)[0]).(string)
	higher := []byte(good)
	higher[30]++ // part of the version
	for _, text := range []string{"", "x", good[:len(good)-1], string(higher)} {
		s.Do(t, "SET", c.Keys(ada)[0], text)
		held, fromRedis := lookup(t, c, d, ada)
		require.True(t, held)
		require.False(t, fromRedis, "%q", text)
		_, fromRedis = lookup(t, c, d, ada)
		require.True(t, fromRedis, "%q is replaced", text)
	}
	s.Do(t, "DEL", c.Keys(ada)[0])
	s.Do(t, "LPUSH", c.Keys(ada)[0], "another type")
	held, _ := lookup(t, c, d, ada)
	require.True(t, held)
}

func TestRegistriesAreApart(t *testing.T) {
	t.Parallel()
	c, s, d := start(t)
	o := options(t, s.URL())
	o.Fingerprint = []byte{3, 2, 1}
	other := open(t, o)
	follow(t, other, newDatabase("a"))
	requireLive(t, other)
	_, _ = lookup(t, c, d, name("ada"))
	_, fromRedis := lookup(t, other, d, name("ada"))
	require.False(t, fromRedis)
	require.EqualValues(t, 2, d.reads.Load())
}

// Whoever has changed a name finds nothing in Redis that was read before, although no feed
// has told of the change yet.
func TestAChangeOfOnesOwnIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	s, d := redistest.New(t), newDatabase("a")
	c := open(t, options(t, s.URL()))
	stop := follow(t, c, d)
	requireLive(t, c)
	stop()
	ada := name("ada")
	held, _ := lookup(t, c, d, ada)
	require.False(t, held)
	_, fromRedis := lookup(t, c, d, ada)
	require.True(t, fromRedis)
	d.take(ada)
	c.Changed(t.Context(), ada)
	held, _ = lookup(t, c, d, ada)
	require.True(t, held)
	s.Kill(t)
	c.Changed(t.Context(), ada) // holds nobody up
}
