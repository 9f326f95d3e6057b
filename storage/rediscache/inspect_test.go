package rediscache_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/rediscache"
	"namegate/storage/rediscache/redistest"
)

// remembered are the names of which a cache has something, in order.
func remembered(t *testing.T, c *rediscache.Cache) []string {
	t.Helper()
	var names []string
	require.NoError(t, c.Names(t.Context(), func(name string) error {
		names = append(names, name)
		return nil
	}))
	slices.Sort(names)
	return slices.Compact(names)
}

// Whoever inspects Redis sees what it has, asks no database, and can drop it.
func TestInspect(t *testing.T) {
	t.Parallel()
	single, cluster := redistest.New(t), redistest.NewCluster(t)
	for title, url := range map[string]string{"single": single.URL(), "cluster": cluster.URL()} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			c, d := open(t, options(t, url)), newDatabase("a")
			follow(t, c, d)
			requireLive(t, c)
			some := []string{"ada", "bob", "cyd", "dee"}
			for _, n := range some {
				_, _ = lookup(t, c, d, name(n))
			}
			require.Equal(t, some, remembered(t, c))
			s, ok, err := c.Peek(t.Context(), name("ada"))
			require.NoError(t, err)
			require.True(t, ok && s.Held == nil)
			_, ok, err = c.Peek(t.Context(), name("nobody"))
			require.NoError(t, err)
			require.False(t, ok)
			require.NoError(t, c.Drop(t.Context(), name("ada"), name("bob")))
			require.Equal(t, some[2:], remembered(t, c))
			broken := errors.New("enough")
			require.ErrorIs(t, c.Names(t.Context(), func(string) error { return broken }), broken)
		})
	}
}

// A Redis that is away says nothing, and that is told.
func TestInspectARedisThatIsAway(t *testing.T) {
	t.Parallel()
	c, s, _ := start(t)
	s.Kill(t)
	eventually(t, func() bool {
		_, _, err := c.Peek(t.Context(), name("ada"))
		return errors.Is(err, rediscache.ErrAway)
	}, "it is noticed")
	require.Error(t, c.Names(t.Context(), func(string) error { return nil }))
	require.Error(t, c.Drop(t.Context(), name("ada")))
}
