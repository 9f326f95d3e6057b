package main

import (
	"errors"
	"math"
	"slices"
	"time"
)

// sample is what one run of a work showed.
type sample struct {
	calls    int     // that were done in time
	rate     float64 // calls a second
	p50, p99 time.Duration
	asked    float64 // share of the answers that a database decided
	wal      float64 // bytes of write-ahead log for each call
}

// summarise makes a sample of how long each call of a run took, which it sorts.
func summarise(took []time.Duration, length time.Duration) (sample, error) {
	if len(took) == 0 {
		return sample{}, errors.New("nothing was done in time")
	}
	slices.Sort(took)
	return sample{
		calls: len(took),
		rate:  float64(len(took)) / length.Seconds(),
		p50:   percentile(took, 50),
		p99:   percentile(took, 99),
	}, nil
}

// percentile is the smallest of sorted values that at least p % of them do not
// exceed (nearest rank).
func percentile(sorted []time.Duration, p float64) time.Duration {
	rank := math.Ceil(p / 100 * float64(len(sorted)))
	return sorted[max(int(rank), 1)-1]
}

// median is the middle of values, of which there must be one; of an even number
// it is the mean of the two in the middle.
func median[T ~int64 | ~float64](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// medianOf is the median of one property of samples.
func medianOf[T ~int64 | ~float64](all []sample, property func(sample) T) T {
	values := make([]T, len(all))
	for i, s := range all {
		values[i] = property(s)
	}
	return median(values)
}
