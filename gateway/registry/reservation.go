package registry

import (
	"context"
	"errors"
	"fmt"

	"namegate/storage"
)

// ReserveInput asks to hold one username.
type ReserveInput struct {
	Caller Caller
	Name   string
	// Alternatives are tried in order when Name is not to be had; at most MaxAlternatives.
	Alternatives []string
	// RequestID is the client's own, of printable ASCII: 22 to 64 characters from
	// an anonymous caller, 8 to 64 from others.
	RequestID string
}

// values are all names asked for, the preferred one first.
func (in ReserveInput) values() []string {
	return append([]string{in.Name}, in.Alternatives...)
}

// validate fails with *InputError.
func (in ReserveInput) validate() error {
	if len(in.Alternatives) > MaxAlternatives {
		return &InputError{Message: fmt.Sprintf("at most %d alternatives can be given", MaxAlternatives)}
	}
	return checkRequestID(in.Caller, in.RequestID)
}

// Reservation is a name held for a sign-up, with the secret that commands it.
type Reservation struct {
	Holding storage.Holding
	Token   string
}

// Reservation gives what the holder of a token holds, maybe nothing. It fails
// with ErrReservationNotFound or the errors of storage.Reserver.
func (r *Registry) Reservation(ctx context.Context, token string) ([]storage.Holding, error) {
	return r.byToken(ctx, token, r.store.Reservation)
}

// Cancel gives back what the holder of a token holds and says what that was. It
// fails with ErrReservationNotFound or the errors of storage.Reserver.
func (r *Registry) Cancel(ctx context.Context, token string) ([]storage.Holding, error) {
	return r.byToken(ctx, token, r.store.Cancel)
}

// byToken runs an operation on the request that a token names. A forged token
// reaches no database.
func (r *Registry) byToken(
	ctx context.Context, token string, do func(context.Context, storage.RequestKey) ([]storage.Holding, error),
) ([]storage.Holding, error) {
	key, ok := r.keys.verify(token)
	if !ok {
		return nil, ErrReservationNotFound
	}
	holdings, err := do(ctx, key)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, ErrReservationNotFound
	}
	return holdings, err
}
