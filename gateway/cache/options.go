package cache

import (
	"errors"
	"time"
)

// Options set a Cache up.
type Options struct {
	// Entries is how many names are remembered.
	Entries int
	// TTL is how long it is remembered that a name is held, less up to a fifth, so that
	// those that came together do not go together.
	TTL time.Duration
	// Staleness is for how long it counts that nobody has a name.
	Staleness time.Duration
	// ReadTimeout bounds a read, as whoever began it may leave.
	ReadTimeout time.Duration
	// Clock is the time since any fixed moment, by a clock that nobody sets and that
	// goes on while the machine sleeps.
	Clock func() time.Duration
	// Random gives a number of [0, 1) and may be called concurrently.
	Random func() float64
}

// Validate returns all that is wrong, joined.
func (o Options) Validate() error {
	var errs []error
	if o.Entries < 1 {
		errs = append(errs, errors.New("a cache must have room for one entry"))
	}
	if o.TTL <= 0 || o.Staleness <= 0 || o.ReadTimeout <= 0 {
		errs = append(errs, errors.New("times of a cache must be positive"))
	}
	if o.Clock == nil || o.Random == nil {
		errs = append(errs, errors.New("a cache needs a clock and random numbers"))
	}
	return errors.Join(errs...)
}
