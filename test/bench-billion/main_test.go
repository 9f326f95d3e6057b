package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNamesAreDistinct(t *testing.T) {
	t.Parallel()
	const n = 100_000
	names, seen := newPool(0, n), map[string]bool{}
	for i := range n {
		seen[names.name(i)] = true
	}
	require.Len(t, seen, n)
}

func TestMeasuringFewNames(t *testing.T) {
	t.Parallel()
	r, err := measure(options{few: 32_000, many: 64_000, absent: 10_000, rounds: 3})
	require.NoError(t, err)
	for _, s := range []*subject{r.peer, r.single, r.few, r.many} {
		require.Positive(t, s.lookUp(), s.label)
		require.Less(t, s.falsePositives(), 0.003, s.label)
		require.Len(t, s.rounds, 3, s.label)
	}
	require.Greater(t, r.peak, uint64(1<<20))
}

func TestMissingNamesAreAnError(t *testing.T) {
	t.Parallel()
	s := single(1000)
	s.names = 2000 // of which half was never added
	require.ErrorIs(t, compare([]*subject{s}, newPool(5000, 10), 1), errMissing)
}

func TestMissedLimitsAreAnError(t *testing.T) {
	t.Parallel()
	made := func(lookUp time.Duration) *subject {
		return &subject{label: "made", names: 1e6, bits: 16e6, filling: time.Second, rounds: []time.Duration{9 * lookUp, lookUp, 0}, looked: 1}
	}
	r := report{peer: made(400), single: made(100), few: made(100), many: made(200), peak: 2.3e9}
	var out strings.Builder
	require.NoError(t, r.print(&out))
	require.NotContains(t, out.String(), "missed")
	r.many.positives, r.many.looked = 2, 1000
	r.peak++
	require.ErrorIs(t, r.print(&out), errLimit)
	require.Contains(t, out.String(), "| % false positives, most names | 0.200 | at most 0.1: missed |")
	require.Contains(t, out.String(), "| 2.300 | at most 2.3: missed |")
}
