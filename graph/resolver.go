package graph

import (
	"context"

	"namegate/gateway/registry"
	"namegate/storage"
)

// Registry is what the schema is served from.
type Registry interface {
	// Check says whether a name can be had.
	Check(ctx context.Context, name string) (registry.Availability, error)
	// CheckMany checks several names; results are in the order of names. It
	// fails with *registry.InputError when there are too many.
	CheckMany(ctx context.Context, names []string) ([]registry.CheckResult, error)
	// Reserve holds a name. It fails with *registry.UnavailableError,
	// *registry.InvalidValueError, *registry.InputError or
	// storage.ErrRequestConflict.
	Reserve(ctx context.Context, input registry.ReserveInput) (registry.Reservation, error)
	// Reservation gives what the holder of a token holds. It fails with
	// registry.ErrReservationNotFound.
	Reservation(ctx context.Context, token string) ([]storage.Holding, error)
	// Cancel gives back what the holder of a token holds. It fails with
	// registry.ErrReservationNotFound.
	Cancel(ctx context.Context, token string) ([]storage.Holding, error)
}

// Resolver answers the fields of the schema.
type Resolver struct {
	registry Registry
}
