package registry

import (
	"context"
	"errors"
	"fmt"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Wanted is one identifier that a caller asks for.
type Wanted struct {
	Kind  identifier.Kind
	Value string
}

// ReserveAllInput asks to hold several identifiers, all or none.
type ReserveAllInput struct {
	Caller Caller
	// Wanted are one identifier at least, and at most one of each kind.
	Wanted []Wanted
	// RequestID is the client's own, as in ReserveInput.
	RequestID string
}

// validate fails with *InputError, ErrForbidden or ErrUnauthenticated.
func (in ReserveAllInput) validate() error {
	seen := map[identifier.Kind]bool{}
	for _, wanted := range in.Wanted {
		if err := requireFor(in.Caller, wanted.Kind); err != nil {
			return err
		}
		if seen[wanted.Kind] {
			return &InputError{Message: fmt.Sprintf("%v is asked for twice", wanted.Kind)}
		}
		seen[wanted.Kind] = true
	}
	if len(in.Wanted) == 0 {
		return &InputError{Message: "at least one identifier must be asked for"}
	}
	return checkRequestID(in.Caller, in.RequestID)
}

// Reservations are identifiers held for one sign-up, with the one secret that
// commands them.
type Reservations struct {
	Holdings []storage.Holding
	Token    string
}

// ReserveAll holds all identifiers asked for, or none. The same request gets the
// same reservations again, token and times included.
//
// It fails with *InputError, ErrForbidden, ErrUnauthenticated, *InvalidValueError,
// *UnavailableError, storage.ErrRequestConflict or the errors of storage.Reserver.
func (r *Registry) ReserveAll(ctx context.Context, in ReserveAllInput) (Reservations, error) {
	if err := in.validate(); err != nil {
		return Reservations{}, err
	}
	ids := make([]identifier.Identifier, len(in.Wanted))
	for i, wanted := range in.Wanted {
		id, err := r.parse(wanted.Kind, wanted.Value)
		if err != nil {
			return Reservations{}, err
		}
		ids[i] = id
	}
	request, barred := r.requestAll(in, ids)
	r.expect(request.Candidates...)
	won, err := persist(ctx, r, func() (storage.Outcomes, error) { return r.store.ReserveAll(ctx, request) })
	if err != nil {
		return Reservations{}, in.refusal(ids, barred, err)
	}
	token, err := r.keys.sign(won.KeyID, request.Request)
	if err != nil {
		return Reservations{}, fmt.Errorf("sign reservation token: %w", err)
	}
	return Reservations{Holdings: won.Holdings, Token: token}, nil
}

// requestAll states what the store is asked for, and says which identifier policy
// refuses, -1 for none. With one, only an earlier outcome can be the answer, so the
// store gets no candidates.
func (r *Registry) requestAll(in ReserveAllInput, ids []identifier.Identifier) (request storage.ReserveRequest, barred int) {
	var arguments []string
	barred = -1
	for i, id := range ids {
		arguments = append(arguments, id.Kind().String(), argument(in.Wanted[i].Value, id))
		if r.refuses(id) {
			barred = i
		}
	}
	request = r.request(in.Caller, in.RequestID, storage.HashArguments("reserveIdentifiers", arguments...))
	if barred < 0 {
		request.Candidates = ids
	}
	return request, barred
}

// refusal puts what the store said in terms of the value asked for.
func (in ReserveAllInput) refusal(ids []identifier.Identifier, barred int, err error) error {
	if barred >= 0 && errors.Is(err, storage.ErrNotFound) {
		return &UnavailableError{Kind: in.Wanted[barred].Kind, Value: in.Wanted[barred].Value, Reason: NotAllowed}
	}
	held, ok := errors.AsType[*storage.HeldError](err)
	if !ok {
		return err
	}
	for i, id := range ids {
		if same(id, held.Holding.Identifier) {
			return &UnavailableError{Kind: id.Kind(), Value: in.Wanted[i].Value, Reason: reasonOf(id, held.Holding)}
		}
	}
	return fmt.Errorf("refused for what was not asked for: %w", err)
}
