package registry

import (
	"time"

	"namegate/storage/identifier"
)

// Filter knows from memory which identifiers are free. It never says that one is taken.
type Filter interface {
	// Free says as of when nobody had an identifier; false when the filter cannot
	// vouch for that, and the databases must be asked.
	Free(id identifier.Identifier) (asOf time.Time, ok bool)
	// Expect notes that an identifier is about to be held, before the databases know.
	Expect(id identifier.Identifier)
}

// NoFilter leaves every check to the databases.
type NoFilter struct{}

// Free knows nothing.
func (NoFilter) Free(identifier.Identifier) (time.Time, bool) { return time.Time{}, false }

// Expect does nothing.
func (NoFilter) Expect(identifier.Identifier) {}

// expect notes what is about to be held of what anybody may ask for.
func (r *Registry) expect(ids ...identifier.Identifier) {
	for _, id := range ids {
		if id.Kind() == identifier.Username {
			r.filter.Expect(id)
		}
	}
}
