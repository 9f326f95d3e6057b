package main

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// takes is a call that takes a time.
func takes(d time.Duration) func(int) error {
	return func(int) error {
		time.Sleep(d)
		return nil
	}
}

func TestDriveCountsWhatEndedInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := drive(t.Context(), 3, time.Second, takes(10*time.Millisecond))
		require.NoError(t, err)
		require.Equal(t, sample{calls: 300, rate: 300, p50: 10 * time.Millisecond, p99: 10 * time.Millisecond}, s)

		s, err = drive(t.Context(), 2, time.Second, takes(300*time.Millisecond))
		require.NoError(t, err)
		require.Equal(t, 6, s.calls, "the fourth call of each is late")

		_, err = drive(t.Context(), 1, time.Second, takes(2*time.Second))
		require.ErrorContains(t, err, "nothing was done in time")
	})
}

// Calls begin at their rate while they can, and who must wait for that is counted.
func TestDriveAtARate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := driveAt(t.Context(), 4, 100, time.Second, takes(10*time.Millisecond))
		require.NoError(t, err)
		require.Equal(t, 100, s.calls)
		require.Equal(t, 10*time.Millisecond, s.p99)

		s, err = driveAt(t.Context(), 1, 100, time.Second, takes(20*time.Millisecond))
		require.NoError(t, err)
		require.Equal(t, 50, s.calls)
		require.Equal(t, 50*10*time.Millisecond+10*time.Millisecond, s.p99, "the last one was due long before it began")
	})
}

func TestDriveCountsFailures(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"of callers that can go on": {callError{broken}, "10 calls failed beside 10 that did not"},
		"of callers that cannot":    {broken, "1 calls failed beside 10 that did not"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, err := drive(t.Context(), 2, time.Second, func(caller int) error {
					time.Sleep(100 * time.Millisecond)
					if caller == 0 {
						return tc.err
					}
					return nil
				})
				require.ErrorContains(t, err, tc.want)
				require.ErrorIs(t, err, broken)
			})
		})
	}
}

func TestDriveEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int64
	_, err := drive(ctx, 2, time.Hour, func(int) error {
		calls.Add(1)
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.LessOrEqual(t, calls.Load(), int64(2))
}
