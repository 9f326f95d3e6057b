package registry

import (
	"context"
	"errors"
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Store is what the registry needs of the databases.
type Store interface {
	storage.Reader
	storage.Reserver
	storage.Changer
	storage.Accounts
}

// Parser gives the canonical form of a value, or *identifier.FormError.
type Parser interface {
	Parse(kind identifier.Kind, raw string) (identifier.Identifier, error)
}

// Policy says which well-formed identifiers nobody may have. It may change
// between two calls, so each operation asks it once for each value.
type Policy interface {
	Refuses(id identifier.Identifier) bool
}

// Options sets a Registry up. Every field is required.
type Options struct {
	// TTL is how long a reservation lasts.
	TTL time.Duration
	// Clock dates answers that no database took part in.
	Clock func() time.Time
	// Sleep waits, or fails when the context ends; in production it is the
	// function of this name.
	Sleep func(context.Context, time.Duration) error
	// Random gives a number of [0, 1) and may be called concurrently.
	Random func() float64
}

// Registry checks names, holds them, and moves them to and between accounts. It is safe for concurrent use.
type Registry struct {
	store  Store
	parser Parser
	policy Policy
	denied DenyList
	cache  Cache
	filter Filter
	keys   *Keyring
	opts   Options
}

// New makes a Registry on a store. The keys sign reservation tokens.
func New(store Store, parser Parser, policy Policy, layers Layers, keys *Keyring, opts Options) *Registry {
	return &Registry{
		store: noted{store, layers.Cache}, parser: parser, policy: policy, keys: keys, opts: opts,
		denied: layers.Denied, cache: layers.Cache, filter: layers.Filter,
	}
}

// parse gives the identifier that raw stands for. It fails with
// *InvalidValueError; any other error is the parser's own.
func (r *Registry) parse(kind identifier.Kind, raw string) (identifier.Identifier, error) {
	id, err := r.parser.Parse(kind, raw)
	if form, ok := errors.AsType[*identifier.FormError](err); ok {
		return identifier.Identifier{}, &InvalidValueError{Value: raw, Violations: form.Violations}
	}
	return id, err
}

// reasonOf is why asked cannot be had while held stands under its key.
func reasonOf(asked identifier.Identifier, held storage.Holding) Reason {
	if held.Blocked {
		return NotAllowed
	}
	if asked.Canonical() != held.Identifier.Canonical() {
		return Confusable
	}
	switch held.State {
	case storage.Reserved:
		return Reserved
	case storage.Protected:
		return Protected
	default:
		return Taken
	}
}
