package registry

import (
	"context"
	"errors"
	"fmt"

	"namegate/storage"
	"namegate/storage/identifier"
)

// MaxAlternatives is how many names may stand in for the one asked for.
const MaxAlternatives = 9

// Reserve holds the first of the names asked for that can be had. The same
// request gets the same reservation again, token and times included.
//
// It fails with *InputError, *InvalidValueError, *UnavailableError,
// storage.ErrRequestConflict or the errors of storage.Reserver.
func (r *Registry) Reserve(ctx context.Context, in ReserveInput) (Reservation, error) {
	if err := in.validate(); err != nil {
		return Reservation{}, err
	}
	values, err := r.parseAll(in.values())
	if err != nil {
		return Reservation{}, err
	}
	wish := r.allowed(values)
	// It is sent even without a candidate: an earlier outcome must be answered
	// again whatever policy says now.
	request := r.request(in.Caller, in.RequestID, storage.HashArguments("reserveUsername", in.values()...))
	request.Candidates = wish.candidates
	r.expect(wish.candidates...)
	won, err := persist(ctx, r, func() (storage.Outcome, error) { return r.store.Reserve(ctx, request) })
	if err != nil {
		return Reservation{}, wish.refusal(in.Name, err)
	}
	token, err := r.keys.sign(won.KeyID, request.Request)
	if err != nil {
		return Reservation{}, fmt.Errorf("sign reservation token: %w", err)
	}
	return Reservation{Holding: won.Holding, Token: token}, nil
}

// request states what the store is asked for, but the candidates.
func (r *Registry) request(caller Caller, requestID string, arguments [32]byte) storage.ReserveRequest {
	return storage.ReserveRequest{
		Request:   requestKey(caller, requestID),
		Arguments: arguments,
		TTL:       r.opts.TTL,
		Actor:     caller.Subject,
		KeyID:     r.keys.newest(),
	}
}

// parseAll parses every name or fails with *InvalidValueError for the first that
// breaks a rule.
func (r *Registry) parseAll(values []string) ([]identifier.Identifier, error) {
	ids := make([]identifier.Identifier, len(values))
	for i, value := range values {
		id, err := r.parse(identifier.Username, value)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

// wish is what one caller may be given.
type wish struct {
	first      identifier.Identifier // the name asked for, allowed or not
	barred     bool                  // policy refuses first
	candidates []identifier.Identifier
}

// allowed leaves out what policy refuses and what was asked for twice.
func (r *Registry) allowed(values []identifier.Identifier) wish {
	w := wish{first: values[0], barred: r.refuses(values[0])}
	seen := make(map[string]bool, len(values))
	for i, id := range values {
		if seen[id.Key()] {
			continue
		}
		seen[id.Key()] = true
		if refused := i == 0 && w.barred || i > 0 && r.refuses(id); !refused {
			w.candidates = append(w.candidates, id)
		}
	}
	return w
}

// refusal puts what the store said in terms of the name asked for.
func (w wish) refusal(name string, err error) error {
	if held, ok := errors.AsType[*storage.HeldError](err); ok {
		if w.barred {
			return &UnavailableError{Kind: identifier.Username, Value: name, Reason: NotAllowed}
		}
		return &UnavailableError{Kind: identifier.Username, Value: name, Reason: reasonOf(w.first, held.Holding)}
	}
	if len(w.candidates) == 0 && errors.Is(err, storage.ErrNotFound) {
		return &UnavailableError{Kind: identifier.Username, Value: name, Reason: NotAllowed}
	}
	return err
}
