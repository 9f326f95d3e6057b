package graph

import (
	"context"

	"namegate/gateway/ratelimit"
	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

// Registry is what the schema is served from. What each method fails with is said
// at *registry.Registry, which is one.
type Registry interface {
	// Check says whether a name can be had.
	Check(ctx context.Context, name string) (registry.Availability, error)
	// CheckMany checks several names; results are in the order of names.
	CheckMany(ctx context.Context, names []string) ([]registry.CheckResult, error)
	// Suggest gives names that are free, for somebody who wanted one that is not.
	Suggest(ctx context.Context, wanted string, n int) []string
	// Reserve holds a name.
	Reserve(ctx context.Context, in registry.ReserveInput) (registry.Reservation, error)
	// ReserveAll holds several identifiers, all or none.
	ReserveAll(ctx context.Context, in registry.ReserveAllInput) (registry.Reservations, error)
	// Reservation gives what the holder of a token holds.
	Reservation(ctx context.Context, token string) ([]storage.Holding, error)
	// Cancel gives back what the holder of a token holds.
	Cancel(ctx context.Context, token string) ([]storage.Holding, error)
	// Confirm gives an account what a reservation holds.
	Confirm(ctx context.Context, in registry.ConfirmInput) ([]storage.Holding, error)
	// Rename moves an account to another username.
	Rename(ctx context.Context, in registry.RenameInput) (storage.Renamed, error)
	// Release gives up one identifier of an account.
	Release(ctx context.Context, in registry.ReleaseInput) (storage.Holding, error)
	// ReleaseAll gives up all that an account has.
	ReleaseAll(ctx context.Context, in registry.Request) ([]storage.Holding, error)
	// Owner gives the account that owns a username, "" for none.
	Owner(ctx context.Context, name string) (string, error)
	// Redirect gives the present name of a former name's account, "" for none.
	Redirect(ctx context.Context, name string) (string, error)
	// Holdings gives the identifiers of an account, of one kind or of all.
	Holdings(ctx context.Context, caller registry.Caller, ownerID *string, kind *identifier.Kind) ([]storage.Holding, error)
}

var _ Registry = (*registry.Registry)(nil)

// Resolver answers the fields of the schema.
type Resolver struct {
	registry Registry
	limiter  ratelimit.Limiter
}
