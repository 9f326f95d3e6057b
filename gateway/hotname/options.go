package hotname

import (
	"errors"
	"time"

	"namegate/storage"
)

// Options set a List up. Every field is required.
type Options struct {
	// Entries is how many names the list has room for.
	Entries int
	// Threshold is how many answers "taken" within a second make a name hot on a
	// replica, from 1 to MaxThreshold.
	Threshold int
	// Clock is the time since any fixed moment, by a clock that nobody sets and that
	// goes on while the machine sleeps.
	Clock func() time.Duration
	// Random gives a number of [0, 1) and may be called concurrently.
	Random func() float64
	// Store reads the databases. A read must be sent after it was asked for: no cache.
	Store storage.Reader
	// Broadcast sends a payload to the Receive of all others, or not: nothing rests on
	// it. One of a key may take the place of an older one that is still on its way. Only
	// Run calls it, so it need not be ready before.
	Broadcast func(key string, payload []byte) error
}

// MaxThreshold is the highest Threshold.
const MaxThreshold = 1<<countBits - 1

// Validate returns all that is wrong, joined.
func (o Options) Validate() error {
	var errs []error
	if o.Entries < 1 {
		errs = append(errs, errors.New("a deny list must have room for one name"))
	}
	if o.Threshold < 1 || o.Threshold > MaxThreshold {
		errs = append(errs, errors.New("a name must be hot from 1 to 65,535 answers a second on"))
	}
	if o.Clock == nil || o.Random == nil || o.Store == nil || o.Broadcast == nil {
		errs = append(errs, errors.New("a deny list needs a clock, random numbers, databases and a way to others"))
	}
	return errors.Join(errs...)
}
