package app

import (
	"errors"
	"fmt"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Terms are the rules of what accounts may have and change. An account has one
// username.
type Terms struct {
	// OwnerLimits is how many identifiers of a private kind one account may have,
	// from 0 to 1000, by the kind's name; DefaultOwnerLimit where it says nothing.
	OwnerLimits map[string]int
	// Protection is how long a former username is kept for its owner, from 1 s to 10 years.
	Protection time.Duration
	// RenameCooldown is the time from one rename to the next, from 0 to 10 years;
	// the first one is free.
	RenameCooldown time.Duration
}

// DefaultOwnerLimit is how many identifiers of one private kind an account may have.
const DefaultOwnerLimit = 10

// The bounds of Terms. An account's identifiers are read together.
const (
	maxOwnerLimit = 1000
	minProtection = time.Second
	maxPeriod     = 10 * 365 * 24 * time.Hour
)

// Validate returns all that is wrong, joined.
func (t Terms) Validate() error {
	var errs []error
	for name, limit := range t.OwnerLimits {
		if _, ok := privateKind(name); !ok {
			errs = append(errs, fmt.Errorf("--owner-limit: %q is neither email nor phone nor license", name))
		}
		if limit < 0 || limit > maxOwnerLimit {
			errs = append(errs, fmt.Errorf("--owner-limit of %s must be from 0 to %d", name, maxOwnerLimit))
		}
	}
	if t.Protection < minProtection || t.Protection > maxPeriod {
		errs = append(errs, errors.New("--protection must be from 1s to 3650d"))
	}
	if t.RenameCooldown < 0 || t.RenameCooldown > maxPeriod {
		errs = append(errs, errors.New("--rename-cooldown must be from 0s to 3650d"))
	}
	return errors.Join(errs...)
}

// storage gives the terms as the store obeys them.
func (t Terms) storage() storage.Terms {
	limits := map[identifier.Kind]int{}
	for _, kind := range identifier.Kinds() {
		limits[kind] = DefaultOwnerLimit
	}
	limits[identifier.Username] = 1
	for name, limit := range t.OwnerLimits {
		if kind, ok := privateKind(name); ok {
			limits[kind] = limit
		}
	}
	return storage.Terms{Limits: limits, Protection: t.Protection, RenameCooldown: t.RenameCooldown}
}

// privateKind is the kind of a name, in whatever case.
func privateKind(name string) (identifier.Kind, bool) {
	kind, ok := kindNamed(name)
	return kind, ok && kind.Private()
}
