package registry

import (
	"context"
	"errors"

	"namegate/storage"
)

// ConfirmInput asks to give an account what a reservation holds.
type ConfirmInput struct {
	Request
	Token string // of the reservation
}

// Confirm makes a reservation permanent. One that ran out is taken anew where it
// is still free. Policy has no say: it had when the reservation was made.
//
// It fails with ErrReservationNotFound, *UnavailableError, *InputError,
// ErrForbidden, ErrUnauthenticated, *storage.LimitError or the errors of storage.Changer.
func (r *Registry) Confirm(ctx context.Context, in ConfirmInput) ([]storage.Holding, error) {
	change, err := in.change("confirmReservation", in.Token)
	if err != nil {
		return nil, err
	}
	reservation, ok := r.keys.verify(in.Token)
	if !ok {
		return nil, ErrReservationNotFound
	}
	owned, err := persist(ctx, r, func() ([]storage.Holding, error) {
		return r.store.Confirm(ctx, change, reservation)
	})
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ErrReservationNotFound
	}
	if held, ok := errors.AsType[*storage.HeldError](err); ok {
		// Nobody named the value; a private one is not known, even here.
		id := held.Holding.Identifier
		return nil, &UnavailableError{Kind: id.Kind(), Value: id.Canonical(), Reason: reasonOf(id, held.Holding)}
	}
	return owned, err
}
