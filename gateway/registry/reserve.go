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

// A request id is the only secret of an anonymous caller: 22 characters of
// base64 are 128 bits, and any usual form of a UUID fits.
const (
	minRequestID = 22
	maxRequestID = 64
)

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
	won, err := r.store.Reserve(ctx, r.request(in, wish.candidates))
	if err != nil {
		return Reservation{}, wish.refusal(in.Name, err)
	}
	token, err := r.keys.sign(won.KeyID, storage.NewRequestKey(in.Scope, in.RequestID))
	if err != nil {
		return Reservation{}, fmt.Errorf("sign reservation token: %w", err)
	}
	return Reservation{Holding: won.Holding, Token: token}, nil
}

// request states what the store is asked for. It is sent even without a
// candidate: an earlier outcome must be answered again whatever policy says now.
func (r *Registry) request(in ReserveInput, candidates []identifier.Identifier) storage.ReserveRequest {
	return storage.ReserveRequest{
		Request:    storage.NewRequestKey(in.Scope, in.RequestID),
		Arguments:  storage.HashArguments("reserveUsername", in.values()...),
		Candidates: candidates,
		TTL:        r.opts.TTL,
		Actor:      in.Actor,
		KeyID:      r.keys.newest(),
	}
}

// parseAll parses every value or fails with *InvalidValueError for the first
// that breaks a rule.
func (r *Registry) parseAll(values []string) ([]identifier.Identifier, error) {
	ids := make([]identifier.Identifier, len(values))
	for i, value := range values {
		id, violations, err := r.parse(value)
		if err != nil {
			return nil, err
		}
		if len(violations) > 0 {
			return nil, &InvalidValueError{Value: value, Violations: violations}
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
	w := wish{first: values[0], barred: r.policy.Refuses(values[0])}
	seen := make(map[string]bool, len(values))
	for i, id := range values {
		if seen[id.Key()] {
			continue
		}
		seen[id.Key()] = true
		if refused := i == 0 && w.barred || i > 0 && r.policy.Refuses(id); !refused {
			w.candidates = append(w.candidates, id)
		}
	}
	return w
}

// refusal puts what the store said in terms of the name asked for.
func (w wish) refusal(name string, err error) error {
	if held, ok := errors.AsType[*storage.HeldError](err); ok {
		if w.barred {
			return &UnavailableError{Value: name, Reason: NotAllowed}
		}
		return &UnavailableError{Value: name, Reason: reasonOf(w.first, held.Holding)}
	}
	if len(w.candidates) == 0 && errors.Is(err, storage.ErrNotFound) {
		return &UnavailableError{Value: name, Reason: NotAllowed}
	}
	return err
}
