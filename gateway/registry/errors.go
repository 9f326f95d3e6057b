package registry

import (
	"errors"

	"namegate/storage/identifier"
)

// ErrReservationNotFound says that the reservation never was, was cancelled, or
// that the token is not one of ours.
var ErrReservationNotFound = errors.New("no such reservation")

// InputError refuses arguments that no outcome of the schema covers: a list too
// long, a request id of the wrong length. Its text is for the client.
type InputError struct {
	Message string
}

func (e *InputError) Error() string { return e.Message }

// InvalidValueError refuses a value that breaks a rule of form.
type InvalidValueError struct {
	Value      string // as asked
	Violations []identifier.Violation
}

func (e *InvalidValueError) Error() string { return "value breaks a rule of form" }

// UnavailableError says that a value cannot be had. It describes the first one
// asked for.
type UnavailableError struct {
	Kind   identifier.Kind
	Value  string // as asked
	Reason Reason
}

func (e *UnavailableError) Error() string { return "value cannot be had" }
