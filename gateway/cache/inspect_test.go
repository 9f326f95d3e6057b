package cache_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
)

// Whoever inspects a cache sees what it would answer, and changes nothing by that.
func TestInspect(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.hold("ada", storage.Active, 0, registry.LayerDatabase)
		b.ask(t, "ada")
		b.ask(t, "nobody")
		require.ElementsMatch(t, []string{"ada", "nobody"}, slices.Collect(b.Names()))
		s, ok := b.Peek(name("ada"))
		require.True(t, ok && s.Held != nil)
		s, ok = b.Peek(name("nobody"))
		require.True(t, ok && s.Held == nil)
		_, ok = b.Peek(name("grace"))
		require.False(t, ok)
		require.Zero(t, b.Counters.Hits.Load())
		time.Sleep(ttl)
		_, ok = b.Peek(name("ada"))
		require.False(t, ok, "no longer than Get")
	})
}
