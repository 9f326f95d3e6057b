package hotname_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/hotname"
)

// Whoever inspects a list sees what it would answer, and can take names off.
func TestInspect(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	l.read("ada", held("ada", 1))
	l.read("grace", held("grace", 2))
	require.ElementsMatch(t, []string{"ada", "grace"}, l.Names())
	s, ok := l.Peek(name("ada"))
	require.True(t, ok)
	require.Equal(t, int64(1), s.Version.ID)
	require.Zero(t, l.Counters.Hits.Load())
	l.Drop(name("ada"), name("nobody"))
	require.Equal(t, []string{"grace"}, l.Names())
	require.False(t, l.has("ada"))
	l.Receive(l.message(held("ada", 1)))
	require.True(t, l.has("ada"), "it was not released")
	l.outlive()
	_, ok = l.Peek(name("grace"))
	require.False(t, ok)
}

// A copy counts for less than the entry that it is of, by what its way may have taken.
func TestACopyDoesNotOutliveItsEntry(t *testing.T) {
	t.Parallel()
	l := newFixed(t, options())
	l.Receive(l.Encode(held("ada", 1), 20*time.Second-hotname.Travel)) // of an entry with 20 s left
	l.pass(15*time.Second - 1)
	require.True(t, l.has("ada"))
	l.pass(1)
	require.False(t, l.has("ada"))
}
