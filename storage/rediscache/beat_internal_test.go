package rediscache

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	one  = generation{1}
)

func at(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }

func TestFreeIsJudgedByBeats(t *testing.T) {
	t.Parallel()
	const bound = 5 * time.Second
	var p *pulse
	for i := range 10 {
		p = p.after(one, beat{at(float64(i)), uint64(10 * i)}, bound)
	}
	require.False(t, p.within(at(9), 39, bound), "before the beat of 40, so perhaps 5 s ago")
	require.True(t, p.within(at(9), 40, bound), "after that was sent")
	require.False(t, p.within(at(9.5), 40, bound))
	require.True(t, p.within(at(9.5), 50, bound))
	require.False(t, p.within(at(20), 90, bound), "no beat is young enough to judge by")
	require.Len(t, p.beats, 6, "older ones judge nothing")
}

func TestAnotherRedisIsJudgedAnew(t *testing.T) {
	t.Parallel()
	const bound = 5 * time.Second
	p := (*pulse)(nil).after(one, beat{at(0), 100}, bound)
	back := p.after(one, beat{at(1), 50}, bound)
	require.Equal(t, []beat{{at(1), 50}}, back.beats, "the number went back")
	same := p.after(one, beat{at(1), 100}, bound)
	require.Len(t, same.beats, 1, "or did not grow")
	other := p.after(generation{2}, beat{at(1), 101}, bound)
	require.Len(t, other.beats, 1)
	require.False(t, other.covers(entry{generation: one, beat: 101}, at(1), bound))
	require.True(t, other.covers(entry{generation: generation{2}, beat: 101}, at(1), bound))
}

func TestAPulseIsTrustedForSoLong(t *testing.T) {
	t.Parallel()
	p := (*pulse)(nil).after(one, beat{at(0), 1}, time.Second)
	require.True(t, p.alive(at(2)))
	require.False(t, p.alive(at(2.1)))
	require.False(t, (*pulse)(nil).alive(at(0)))
	none := (*pulse)(nil).after(generation{}, beat{at(0), 1}, time.Second)
	require.False(t, none.alive(at(0)), "no generation")
}

func TestAgeIsWhatEitherClockSays(t *testing.T) {
	t.Parallel()
	now := time.Now()
	require.Equal(t, time.Hour, age(now.Add(time.Hour), now))
	require.Equal(t, time.Hour, age(now.Round(0).Add(time.Hour), now), "the machine slept")
}
