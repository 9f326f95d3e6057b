package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// samples is how many are taken of each work.
const samples = 3

// rounds measures works.
type rounds struct {
	settle   func(context.Context) error          // has the databases write what they owe
	position func(context.Context) (int64, error) // of the end of the write-ahead log, in bytes
	length   time.Duration
	progress io.Writer
}

// warmUp is how long a work runs before a sample, in whole seconds.
func (r rounds) warmUp() time.Duration {
	return max(time.Second, (r.length / 2).Truncate(time.Second))
}

// measure gives a row for each work. Beside an error it gives the rows of the
// comparisons before it.
func (r rounds) measure(ctx context.Context, comparisons []comparison) ([]row, error) {
	var rows []row
	for _, c := range comparisons {
		more, err := r.compare(ctx, c)
		if err != nil {
			return rows, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func (r rounds) compare(ctx context.Context, c comparison) ([]row, error) {
	taken := make([][]sample, len(c.works))
	for n := range samples {
		for i, w := range c.works {
			s, err := r.sample(ctx, w)
			if err != nil {
				return nil, fmt.Errorf("measure %s: %w", w.name, err)
			}
			fmt.Fprintf(r.progress, "sample %d of %d: %s: %.0f/s\n", n+1, samples, w.name, s.rate)
			taken[i] = append(taken[i], s)
		}
	}
	rows := make([]row, len(c.works))
	for i, w := range c.works {
		rows[i] = newRow(w.name, taken[i])
		rows[i].ratio, rows[i].unit = rows[i].rate/rows[0].rate, c.unit
	}
	return rows, nil
}

func (r rounds) sample(ctx context.Context, w work) (sample, error) {
	if err := w.prepare(ctx); err != nil {
		return sample{}, err
	}
	if err := r.settle(ctx); err != nil {
		return sample{}, err
	}
	if _, err := w.run(ctx, r.warmUp()); err != nil {
		return sample{}, err
	}
	before, err := r.position(ctx)
	if err != nil {
		return sample{}, err
	}
	s, err := w.run(ctx, r.length)
	if err != nil {
		return sample{}, err
	}
	after, err := r.position(ctx)
	s.wal = float64(after-before) / float64(s.calls)
	return s, err
}
