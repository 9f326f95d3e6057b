package app

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCleanupsRunLastFirstAndOnce(t *testing.T) {
	t.Parallel()
	var undo cleanups
	var ran []string
	broken := errors.New("broken")
	for _, name := range []string{"first", "second", "third"} {
		undo.add(name, func(context.Context) error {
			ran = append(ran, name)
			if name == "second" {
				return broken
			}
			return nil
		})
	}
	err := undo.run(t.Context())
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "second: broken")
	require.NoError(t, undo.run(t.Context()))
	require.Equal(t, []string{"third", "second", "first"}, ran)
}
