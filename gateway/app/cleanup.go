package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// cleanups undo a start, the last step first.
type cleanups struct {
	steps []cleanup
}

type cleanup struct {
	name string // what it does, for errors
	run  func(context.Context) error
}

func (c *cleanups) add(name string, run func(context.Context) error) {
	c.steps = append(c.steps, cleanup{name, run})
}

// run runs every step, also after one that failed, and forgets it.
func (c *cleanups) run(ctx context.Context) error {
	var errs []error
	for _, step := range slices.Backward(c.steps) {
		if err := step.run(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", step.name, err))
		}
	}
	c.steps = nil
	return errors.Join(errs...)
}
