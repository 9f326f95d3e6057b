package rediscache

import (
	"errors"
	"log/slog"
	"time"
)

// Options say which Redis to use, and how.
type Options struct {
	// URL is where Redis is; see ParseURL for its forms.
	URL string
	// Prefix is what all keys begin with, such as the name of the installation.
	Prefix string
	// Fingerprint tells registries that share a Redis apart.
	Fingerprint []byte
	// TakenTTL is how long a taken entry lasts at most, less up to a tenth, from a minute.
	TakenTTL time.Duration
	// Staleness is how long after its read was sent a free entry counts, from 1 s to 1 min.
	Staleness time.Duration
	// Timeout is what a call may cost a caller, from 1 ms to 1 s.
	Timeout time.Duration
	// Clock is the replica's own. Its times never leave the process.
	Clock func() time.Time
	// Random gives random numbers that no other replica gives: leases and generations are made of them.
	Random func() uint64
	Logger *slog.Logger
}

// Defaults of Options that depend on nothing.
const (
	DefaultPrefix   = "namegate"
	DefaultTakenTTL = 24 * time.Hour
	DefaultTimeout  = 10 * time.Millisecond
)

// Validate returns all that is wrong. No text repeats a password.
func (o Options) Validate() error {
	_, err := ParseURL(o.URL)
	errs := []error{err}
	if o.Prefix == "" || len(o.Prefix) > 64 || !isPlain(o.Prefix) {
		errs = append(errs, errors.New("prefix of Redis keys must have 1 to 64 letters, digits, '.', '_' or '-'"))
	}
	if len(o.Fingerprint) == 0 {
		errs = append(errs, errors.New("fingerprint of the registry is missing"))
	}
	if o.TakenTTL < time.Minute {
		errs = append(errs, errors.New("lifetime of taken entries must be at least 1m"))
	}
	if o.Staleness < time.Second || o.Staleness > time.Minute {
		errs = append(errs, errors.New("staleness must be from 1s to 1m"))
	}
	if o.Timeout < time.Millisecond || o.Timeout > time.Second {
		errs = append(errs, errors.New("time limit of a Redis call must be from 1ms to 1s"))
	}
	if o.Clock == nil || o.Random == nil || o.Logger == nil {
		errs = append(errs, errors.New("clock, random numbers or logger are missing"))
	}
	return errors.Join(errs...)
}

func isPlain(s string) bool {
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}
