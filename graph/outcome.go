package graph

import (
	"errors"

	"namegate/gateway/registry"
	"namegate/graph/model"
	"namegate/storage"
)

// outcome gives the member of a union that stands for an expected failure. Any
// other error, and one that the union has no member for, is a fault.
func outcome[Union any](err error) (Union, error) {
	if member, ok := expected(err).(Union); ok {
		return member, nil
	}
	var none Union
	return none, err
}

// expected is the table from errors to types of the schema; nil for a fault.
func expected(err error) any {
	if e, ok := errors.AsType[*registry.UnavailableError](err); ok {
		return &model.UnavailableError{Kind: e.Kind, Message: e.Error(), Value: e.Value, Reason: e.Reason}
	}
	if e, ok := errors.AsType[*registry.InvalidValueError](err); ok {
		return &model.InvalidValueError{Message: e.Error(), Value: e.Value, Violations: newViolations(e.Violations)}
	}
	if e, ok := errors.AsType[*storage.LimitError](err); ok {
		return &model.OwnerLimitError{Message: e.Error(), Limit: int32(e.Limit)}
	}
	if e, ok := errors.AsType[*storage.TooSoonError](err); ok {
		return &model.RenameTooSoonError{Message: e.Error(), AllowedAt: e.AllowedAt}
	}
	switch {
	case errors.Is(err, registry.ErrReservationNotFound):
		return &model.ReservationNotFoundError{Message: registry.ErrReservationNotFound.Error()}
	case errors.Is(err, storage.ErrNotOwner):
		return &model.NotOwnerError{Message: storage.ErrNotOwner.Error()}
	case errors.Is(err, storage.ErrRequestConflict):
		return &model.RequestConflictError{Message: storage.ErrRequestConflict.Error()}
	default:
		return nil
	}
}
