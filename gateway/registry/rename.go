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
	admitted, err := r.admit(ctx, change.Owner, to)
	if err != nil {
		return storage.Renamed{}, err
	}
	r.expect(admitted)
	renamed, err := persist(ctx, r, func() (storage.Renamed, error) { return r.store.Rename(ctx, change, admitted) })
	if held, ok := errors.AsType[*storage.HeldError](err); ok {
		return storage.Renamed{}, &UnavailableError{Kind: identifier.Username, Value: in.To, Reason: reasonOf(to, held.Holding)}
	}
	if errors.Is(err, storage.ErrNotFound) {
		return storage.Renamed{}, &UnavailableError{Kind: identifier.Username, Value: in.To, Reason: NotAllowed}
	}
	return renamed, err
}

// admit gives the zero Identifier when policy refuses the name, so that only an
// earlier outcome of the request can answer: it must, whatever policy says since.
// A name that the account has is its own, and may be spelled anew.
func (r *Registry) admit(ctx context.Context, owner string, to identifier.Identifier) (identifier.Identifier, error) {
	if !r.policy.Refuses(to) {
		return to, nil // what operators have blocked the database knows
	}
	owned, err := r.store.Account(ctx, owner)
	if err != nil || slices.ContainsFunc(owned, func(h storage.Holding) bool { return same(h.Identifier, to) }) {
		return to, err
	}
	return identifier.Identifier{}, nil
}

// same says whether two identifiers are one, however they are spelled.
func same(a, b identifier.Identifier) bool { return a.Kind() == b.Kind() && a.Key() == b.Key() }
