package graph_test

import (
	"context"
	"time"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

// asOf is the moment of all answers of a fakeRegistry.
var asOf = time.Date(2026, 3, 4, 5, 6, 7, 890_123_456, time.FixedZone("", 3600))

// fakeRegistry answers with what a test puts into its fields; by default every
// name is free.
type fakeRegistry struct {
	check       func(ctx context.Context, name string) (registry.Availability, error)
	reserve     func(in registry.ReserveInput) (registry.Reservation, error)
	reserveAll  func(in registry.ReserveAllInput) (registry.Reservations, error)
	reservation func(token string) ([]storage.Holding, error)
	cancel      func(token string) ([]storage.Holding, error)
	confirm     func(in registry.ConfirmInput) ([]storage.Holding, error)
	rename      func(in registry.RenameInput) (storage.Renamed, error)
	release     func(in registry.ReleaseInput) (storage.Holding, error)
	releaseAll  func(in registry.Request) ([]storage.Holding, error)
	owner       func(name string) (string, error)
	redirect    func(name string) (string, error)
	suggest     func(wanted string, n int) []string
	holdings    func(caller registry.Caller, ownerID *string, kind *identifier.Kind) ([]storage.Holding, error)
}

func (f *fakeRegistry) Check(ctx context.Context, name string) (registry.Availability, error) {
	if f.check != nil {
		return f.check(ctx, name)
	}
	return free(name), nil
}

func (f *fakeRegistry) CheckMany(ctx context.Context, names []string) ([]registry.CheckResult, error) {
	if len(names) > 20 {
		return nil, &registry.InputError{Message: "at most 20 names can be checked at once"}
	}
	results := make([]registry.CheckResult, len(names))
	for i, name := range names {
		results[i].Availability, results[i].Err = f.Check(ctx, name)
	}
	return results, nil
}

func (f *fakeRegistry) Suggest(_ context.Context, wanted string, n int) []string {
	if f.suggest != nil {
		return f.suggest(wanted, n)
	}
	return nil
}

func (f *fakeRegistry) Reserve(_ context.Context, in registry.ReserveInput) (registry.Reservation, error) {
	return f.reserve(in)
}

func (f *fakeRegistry) Reservation(_ context.Context, token string) ([]storage.Holding, error) {
	return f.reservation(token)
}

func (f *fakeRegistry) Cancel(_ context.Context, token string) ([]storage.Holding, error) {
	return f.cancel(token)
}

func (f *fakeRegistry) ReserveAll(_ context.Context, in registry.ReserveAllInput) (registry.Reservations, error) {
	return f.reserveAll(in)
}

func (f *fakeRegistry) Confirm(_ context.Context, in registry.ConfirmInput) ([]storage.Holding, error) {
	return f.confirm(in)
}

func (f *fakeRegistry) Rename(_ context.Context, in registry.RenameInput) (storage.Renamed, error) {
	return f.rename(in)
}

func (f *fakeRegistry) Release(_ context.Context, in registry.ReleaseInput) (storage.Holding, error) {
	return f.release(in)
}

func (f *fakeRegistry) ReleaseAll(_ context.Context, in registry.Request) ([]storage.Holding, error) {
	return f.releaseAll(in)
}

func (f *fakeRegistry) Owner(_ context.Context, name string) (string, error) { return f.owner(name) }

func (f *fakeRegistry) Redirect(_ context.Context, name string) (string, error) {
	return f.redirect(name)
}

func (f *fakeRegistry) Holdings(
	_ context.Context, caller registry.Caller, ownerID *string, kind *identifier.Kind,
) ([]storage.Holding, error) {
	return f.holdings(caller, ownerID, kind)
}

func free(name string) registry.Availability {
	return registry.Availability{
		Requested: name, Canonical: name, Available: true,
		DecidedBy: registry.LayerDatabase, AsOf: asOf,
	}
}

// reserved is a username held for a sign-up.
func reserved(display, canonical string) storage.Holding {
	return storage.Holding{
		Identifier: identifier.Stored(identifier.Username, canonical, canonical, display),
		State:      storage.Reserved,
		Since:      asOf,
		ExpireAt:   asOf.Add(15 * time.Minute),
	}
}

// owned is a username of an account.
func owned(display, canonical string) storage.Holding {
	return storage.Holding{
		Identifier: identifier.Stored(identifier.Username, canonical, canonical, display),
		State:      storage.Active,
		Owner:      "user:1",
		Since:      asOf,
	}
}

// ownedEmail is a private identifier of an account; what it holds must show nowhere.
func ownedEmail() storage.Holding {
	return storage.Holding{
		Identifier: identifier.Stored(identifier.Email, "secret-key", "secret-canonical", "secret-display"),
		State:      storage.Active,
		Owner:      "user:1",
		Since:      asOf,
	}
}
