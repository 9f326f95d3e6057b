package ratelimit

import (
	"errors"
	"fmt"
	"time"
)

// Limit is how many calls any window of a length admits. The zero Limit is none at all.
type Limit struct {
	Calls int
	Per   time.Duration
}

// The bounds of a Limit, which bound what a window may take in memory.
const (
	maxCalls = 1_000_000
	minPer   = time.Second
	maxPer   = time.Hour
)

// Validate says what is wrong with a limit that is not zero.
func (l Limit) Validate() error {
	if l.Calls < 1 || l.Calls > maxCalls {
		return fmt.Errorf("a limit must be from 1 to %d calls", maxCalls)
	}
	if l.Per < minPer || l.Per > maxPer {
		return errors.New("the window of a limit must be from 1s to 1h")
	}
	return nil
}

// Rules are the limits of clients, by bucket. A bucket that is not there has none.
type Rules map[Bucket]Limit

// DefaultRules are those of a public end point. Refused is wide enough for a client with a
// fault, and a resend counts there, too.
func DefaultRules() Rules {
	return Rules{
		Check:   {Calls: 60, Per: time.Minute},
		Verify:  {Calls: 3, Per: time.Minute},
		Signup:  {Calls: 10, Per: time.Minute},
		Refused: {Calls: 300, Per: time.Minute},
	}
}

// DefaultWideFactor is how many times the limit of a client its neighbourhood has: a /24 of
// an office or of a carrier that shares addresses has some clients at once, and a block
// that somebody owns has no more than these.
const DefaultWideFactor = 16
