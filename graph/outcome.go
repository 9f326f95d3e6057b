package graph

import (
	"errors"

	"namegate/gateway/registry"
	"namegate/graph/model"
	"namegate/storage"
)

// reserveRefusal gives the member of the union that stands for an expected
// failure, or else the error.
func reserveRefusal(err error) (model.ReserveUsernameResult, error) {
	if e, ok := errors.AsType[*registry.UnavailableError](err); ok {
		return &model.UnavailableError{Message: e.Error(), Value: e.Value, Reason: e.Reason}, nil
	}
	if e, ok := errors.AsType[*registry.InvalidValueError](err); ok {
		return &model.InvalidValueError{Message: e.Error(), Value: e.Value, Violations: newViolations(e.Violations)}, nil
	}
	if errors.Is(err, storage.ErrRequestConflict) {
		return &model.RequestConflictError{Message: storage.ErrRequestConflict.Error()}, nil
	}
	return nil, err
}

// cancelRefusal is reserveRefusal for a cancellation.
func cancelRefusal(err error) (model.CancelReservationResult, error) {
	if errors.Is(err, registry.ErrReservationNotFound) {
		return &model.ReservationNotFoundError{Message: registry.ErrReservationNotFound.Error()}, nil
	}
	return nil, err
}
