package registry

import (
	"context"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Layers are what a check asks after policy, in this order: the deny list, the cache's
// memory, the filter, and what the cache stands before. None of them ever grants a name,
// and without any of them the databases answer. All may be called concurrently.
type Layers struct {
	Denied DenyList
	Cache  Cache
	Filter Filter
}

// Bare are the layers of a registry that asks the databases each time.
func Bare(store storage.Reader) Layers {
	return Layers{Denied: NoDenyList{}, Cache: NoCache{store}, Filter: NoFilter{}}
}

// Found is what is known of an identifier, and which layer knew it.
type Found struct {
	storage.Standing
	Layer Layer
}

// Cache keeps what was read of late.
type Cache interface {
	// Get gives what this replica remembers; false when it must be asked for.
	Get(id identifier.Identifier) (storage.Standing, bool)
	// Lookup asks those who know, the owning database in the end, and remembers what
	// they say. It fails with the errors of storage.Reader.
	Lookup(ctx context.Context, id identifier.Identifier) (Found, error)
	// Expect notes that an identifier is about to change: from here on, no read that was
	// begun before is an answer.
	Expect(id identifier.Identifier)
	// Changed notes that this replica has changed an identifier: from here on, nothing
	// that was read before is an answer here, wherever it is kept.
	Changed(ctx context.Context, id identifier.Identifier)
}

// NoCache asks the databases each time.
type NoCache struct{ Store storage.Reader }

// Get knows nothing.
func (NoCache) Get(identifier.Identifier) (storage.Standing, bool) { return storage.Standing{}, false }

// Lookup asks the owning database.
func (c NoCache) Lookup(ctx context.Context, id identifier.Identifier) (Found, error) {
	s, err := c.Store.Lookup(ctx, id)
	return Found{s, LayerDatabase}, err
}

// Expect does nothing.
func (NoCache) Expect(identifier.Identifier) {}

// Changed does nothing.
func (NoCache) Changed(context.Context, identifier.Identifier) {}

// DenyList has the names that many ask for in vain, and those that operators have
// blocked, as far as they are asked for.
type DenyList interface {
	// Get gives what was read of a name on the list.
	Get(id identifier.Identifier) (storage.Standing, bool)
	// Saw notes that somebody was told that a name is held.
	Saw(id identifier.Identifier, s storage.Standing)
	// Blocked says that a name is on the list and that nobody may have it: no other
	// entry keeps a reserve from the databases.
	Blocked(id identifier.Identifier) bool
}

// NoDenyList has no names.
type NoDenyList struct{}

// Get knows nothing.
func (NoDenyList) Get(identifier.Identifier) (storage.Standing, bool) {
	return storage.Standing{}, false
}

// Saw does nothing.
func (NoDenyList) Saw(identifier.Identifier, storage.Standing) {}

// Blocked knows nothing.
func (NoDenyList) Blocked(identifier.Identifier) bool { return false }

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

// find asks the layers.
func (r *Registry) find(ctx context.Context, id identifier.Identifier) (Found, error) {
	if s, ok := r.denied.Get(id); ok {
		return Found{s, LayerDenyList}, nil
	}
	if s, ok := r.cache.Get(id); ok {
		return Found{s, LayerLocalCache}, nil
	}
	if asOf, free := r.filter.Free(id); free {
		return Found{storage.Standing{AsOf: asOf}, LayerFilter}, nil
	}
	return r.cache.Lookup(ctx, id)
}

// expect notes what is about to be held of what anybody may ask for.
func (r *Registry) expect(ids ...identifier.Identifier) {
	for _, id := range ids {
		if id.Kind() == identifier.Username {
			r.filter.Expect(id)
			r.cache.Expect(id)
		}
	}
}

// refuses says that nobody may have an identifier.
func (r *Registry) refuses(id identifier.Identifier) bool {
	return r.policy.Refuses(id) || r.denied.Blocked(id)
}
