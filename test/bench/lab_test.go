package main

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain lets this program be the echo, as bench itself does.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == echoArgument {
		main()
	}
	os.Exit(m.Run())
}

// TestWorks does each work for a moment, on real databases and a real gateway:
// a wrong answer fails it.
func TestWorks(t *testing.T) {
	t.Parallel()
	l := &lab{}
	defer func() {
		require.NoError(t, l.close())
		require.NoDirExists(t, l.dir)
	}()
	require.NoError(t, l.open(t.Context()))
	plan := l.plan(fewNames + 1)
	for _, c := range append(plan[:2:2], plan[4]) { // all works on small tables, one on large ones
		for _, w := range c.works {
			require.NoError(t, w.prepare(t.Context()), w.name)
			s, err := w.run(t.Context(), time.Second)
			require.NoError(t, err, w.name)
			require.Positive(t, s.calls, w.name)
		}
	}
	require.NoError(t, l.checkpoint(t.Context()))
	position, err := l.walPosition(t.Context())
	require.NoError(t, err)
	require.Positive(t, position)
	about, err := l.describe(t.Context())
	require.NoError(t, err)
	require.Contains(t, about, "PostgreSQL 1")
}
