package main

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// script is a machine on which works do nothing but note what is asked of them.
type script struct {
	steps []string
	wal   int64
}

func (s *script) rounds() rounds {
	return rounds{
		settle:   func(context.Context) error { s.steps = append(s.steps, "settle"); return nil },
		position: func(context.Context) (int64, error) { return s.wal, nil },
		length:   10 * time.Second,
		progress: io.Discard,
	}
}

// work writes so many bytes in each of 10 calls, and is faster with each sample.
func (s *script) work(name string, rate float64, wal int64) work {
	taken := 0
	return work{
		name: name,
		prepare: func(context.Context) error {
			s.steps = append(s.steps, "prepare "+name)
			return nil
		},
		run: func(_ context.Context, length time.Duration) (sample, error) {
			s.steps = append(s.steps, name+" for "+length.String())
			s.wal += 10 * wal
			if length == 10*time.Second {
				taken++
			}
			return sample{calls: 10, rate: rate * float64(taken), p50: time.Duration(taken)}, nil
		},
	}
}

func TestRoundsTakeTurns(t *testing.T) {
	t.Parallel()
	s := &script{}
	rows, err := s.rounds().measure(t.Context(), []comparison{{"ruler", []work{s.work("ruler", 4, 0), s.work("wall", 6, 25)}}})
	require.NoError(t, err)
	require.Equal(t, []row{
		{name: "ruler", rate: 8, lowest: 4, highest: 12, p50: 2, ratio: 1, unit: "ruler"},
		{name: "wall", rate: 12, lowest: 6, highest: 18, p50: 2, wal: 25, ratio: 1.5, unit: "ruler"},
	}, rows)
	require.Equal(t, []string{
		"prepare ruler", "settle", "ruler for 5s", "ruler for 10s",
		"prepare wall", "settle", "wall for 5s", "wall for 10s",
	}, s.steps[:8])
	require.Equal(t, s.steps[:8], s.steps[8:16])
	require.Len(t, s.steps, 24)
}

func TestRoundsKeepWhatWasMeasuredBeforeAFailure(t *testing.T) {
	t.Parallel()
	s := &script{}
	broken := s.work("broken", 1, 0)
	failure := errors.New("wrong answer")
	broken.run = func(context.Context, time.Duration) (sample, error) { return sample{}, failure }
	rows, err := s.rounds().measure(t.Context(), []comparison{{"ruler", []work{s.work("ruler", 4, 0)}}, {"other", []work{broken}}})
	require.ErrorIs(t, err, failure)
	require.ErrorContains(t, err, "measure broken")
	require.Len(t, rows, 1)
}

func TestWarmUpIsInWholeSeconds(t *testing.T) {
	t.Parallel()
	for length, want := range map[time.Duration]time.Duration{1: 1, 9: 4, 10: 5, 60: 30} {
		require.Equal(t, want*time.Second, rounds{length: length * time.Second}.warmUp())
	}
}
