package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	values := []float64{9, 1, 5}
	require.Equal(t, 5.0, median(values))
	require.Equal(t, []float64{9, 1, 5}, values, "they stay in order")
	require.Equal(t, 3.0, median([]float64{9, 1, 5, 1}))
	require.Equal(t, time.Second, median([]time.Duration{time.Second}))
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	for name, tc := range map[string]struct {
		sorted []time.Duration
		p      float64
		want   time.Duration
	}{
		"median of a hundred":   {hundred, 50, 50},
		"99 of a hundred":       {hundred, 99, 99},
		"99 of fewer":           {hundred[:20], 99, 20},
		"median of an odd few":  {hundred[:3], 50, 2},
		"median of an even few": {hundred[:4], 50, 2},
		"of one":                {hundred[:1], 99, 1},
		"the least":             {hundred, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tc.want, percentile(tc.sorted, tc.p))
		})
	}
}

func TestSummarise(t *testing.T) {
	t.Parallel()
	s, err := summarise([]time.Duration{3, 1, 2, 9}, 2*time.Second)
	require.NoError(t, err)
	require.Equal(t, sample{calls: 4, rate: 2, p50: 2, p99: 9}, s)
	_, err = summarise(nil, time.Second)
	require.Error(t, err)
}
