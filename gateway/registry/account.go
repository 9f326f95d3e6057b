package registry

import (
	"context"
	"errors"
	"slices"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Holdings gives the identifiers of an account, of one kind or, when kind is nil,
// of all. A User may leave ownerID nil or name itself; a Service must give it. It
// fails with *InputError, ErrForbidden, ErrUnauthenticated or the errors of
// storage.Accounts.
func (r *Registry) Holdings(ctx context.Context, caller Caller, ownerID *string, kind *identifier.Kind) ([]storage.Holding, error) {
	owner, err := ownerFor(caller, ownerID)
	if err != nil {
		return nil, err
	}
	owned, err := r.store.Account(ctx, owner)
	if err != nil || kind == nil {
		return owned, err
	}
	return slices.DeleteFunc(owned, func(h storage.Holding) bool { return h.Identifier.Kind() != *kind }), nil
}

// Owner gives the account that owns a username, "" when nobody does. Who reserved
// a name, or gave it up, is not its owner. It fails with the errors of storage.Reader.
func (r *Registry) Owner(ctx context.Context, name string) (string, error) {
	id, err := r.parse(identifier.Username, name)
	if err != nil {
		return "", ignoreInvalid(err)
	}
	standing, err := r.store.Lookup(ctx, id)
	if err != nil {
		return "", err
	}
	held := standing.Held
	if held == nil || held.State != storage.Active || held.Identifier.Canonical() != id.Canonical() {
		return "", nil
	}
	return held.Owner, nil
}

// Redirect gives the present username, as its owner writes it, of the account for
// which a former name is protected; "" when there is none. It fails with the errors
// of storage.Accounts.
func (r *Registry) Redirect(ctx context.Context, name string) (string, error) {
	former, err := r.parse(identifier.Username, name)
	if err != nil {
		return "", ignoreInvalid(err)
	}
	present, err := r.store.Redirect(ctx, former)
	if errors.Is(err, storage.ErrNotFound) {
		return "", nil
	}
	return present.Identifier.Display(), err
}

// ignoreInvalid is nil for a name that breaks a rule of form, which nobody has or had.
func ignoreInvalid(err error) error {
	if _, ok := errors.AsType[*InvalidValueError](err); ok {
		return nil
	}
	return err
}
