package registry

import (
	"context"
	"errors"
	"slices"

	"namegate/storage"
	"namegate/storage/identifier"
)

// RenameInput asks to move an account to another username.
type RenameInput struct {
	Request
	To string
}

// Rename moves an account to another username, or to another spelling of its own.
//
// It fails with *InvalidValueError, *UnavailableError, *InputError, ErrForbidden,
// ErrUnauthenticated, storage.ErrNotOwner, *storage.TooSoonError or the errors of
// storage.Changer.
func (r *Registry) Rename(ctx context.Context, in RenameInput) (storage.Renamed, error) {
	change, err := in.change("renameUsername", in.To)
	if err != nil {
		return storage.Renamed{}, err
	}
	to, err := r.parse(identifier.Username, in.To)
	if err != nil {
		return storage.Renamed{}, err
	}
	if err := r.admit(ctx, change.Owner, to, in.To); err != nil {
		return storage.Renamed{}, err
	}
	renamed, err := persist(ctx, r, func() (storage.Renamed, error) { return r.store.Rename(ctx, change, to) })
	if held, ok := errors.AsType[*storage.HeldError](err); ok {
		return storage.Renamed{}, &UnavailableError{Value: in.To, Reason: reasonOf(to, held.Holding)}
	}
	return renamed, err
}

// admit fails with *UnavailableError when policy refuses the name, unless the
// account has it: that may be spelled anew, and the request that brought it must
// be answered again whatever policy says since.
func (r *Registry) admit(ctx context.Context, owner string, to identifier.Identifier, raw string) error {
	if !r.policy.Refuses(to) {
		return nil
	}
	owned, err := r.store.Account(ctx, owner)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(owned, func(h storage.Holding) bool { return same(h.Identifier, to) }) {
		return nil
	}
	return &UnavailableError{Value: raw, Reason: NotAllowed}
}

// same says whether two identifiers are one, however they are spelled.
func same(a, b identifier.Identifier) bool { return a.Kind() == b.Kind() && a.Key() == b.Key() }
