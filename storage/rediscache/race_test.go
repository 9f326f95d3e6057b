package rediscache_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/rediscache"
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

// One whose read fails only then takes nobody's lease away either.
func TestLeaseOverrunByAFailure(t *testing.T) {
	t.Parallel()
	c, s, d := start(t)
	ada := name("ada")
	lease := c.Keys(ada)[2]
	var second *holder
	var token any
	_, _, err := c.Lookup(t.Context(), ada, func(context.Context) (storage.Standing, error) {
		s.Do(t, "DEL", lease) // its time is over
		second = hold(t, c, d, ada)
		token = s.Do(t, "GET", lease)
		return storage.Standing{}, context.DeadlineExceeded
	})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, token, s.Do(t, "GET", lease))
	second.finish(t)
	require.NotNil(t, s.Do(t, "GET", c.Keys(ada)[0]))
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
