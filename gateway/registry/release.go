package registry

import (
	"context"
	"errors"

	"namegate/storage"
	"namegate/storage/identifier"
)

// ReleaseInput asks to give up one identifier of an account.
type ReleaseInput struct {
	Request
	Kind  identifier.Kind
	Value string
}

// Release gives up one identifier of an account and says what became of it. A
// private one takes the same path whether the account, another one or nobody has it.
//
// It fails with *InputError, ErrForbidden, ErrUnauthenticated, storage.ErrNotOwner
// or the errors of storage.Changer.
func (r *Registry) Release(ctx context.Context, in ReleaseInput) (storage.Holding, error) {
	if err := requireFor(in.Caller, in.Kind); err != nil {
		return storage.Holding{}, err
	}
	id, unparsed := r.parse(in.Kind, in.Value)
	change, err := in.change("releaseIdentifier", in.Kind.String(), argument(in.Value, id))
	if err != nil {
		return storage.Holding{}, err
	}
	if _, invalid := errors.AsType[*InvalidValueError](unparsed); invalid {
		return storage.Holding{}, storage.ErrNotOwner // nobody can have it
	}
	if unparsed != nil {
		return storage.Holding{}, unparsed
	}
	released, err := r.store.Release(ctx, change, id)
	if err != nil {
		return storage.Holding{}, err
	}
	return released[0], nil
}

// ReleaseAll gives up all that an account has, maybe nothing, and says what became
// of it. It fails with *InputError, ErrForbidden, ErrUnauthenticated or the errors
// of storage.Changer.
func (r *Registry) ReleaseAll(ctx context.Context, in Request) ([]storage.Holding, error) {
	change, err := in.change("releaseAccount")
	if err != nil {
		return nil, err
	}
	return r.store.Release(ctx, change)
}
