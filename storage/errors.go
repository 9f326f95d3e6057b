package storage

import (
	"errors"
	"time"
)

var (
	// ErrNotFound says that there is no record of the request, or that nothing
	// is left of what it granted.
	ErrNotFound = errors.New("no such request")
	// ErrRequestConflict says that the request id was used for something else.
	ErrRequestConflict = errors.New("request id was used with other arguments")
	// ErrNotOwner says that the account does not have the identifier.
	ErrNotOwner = errors.New("account does not have the identifier")
	// ErrNotBlocked says that there is no block to take away.
	ErrNotBlocked = errors.New("identifier is not blocked")
)

// HeldError says that none of the candidates could be had. It describes the
// first of them; the request is not remembered.
type HeldError struct {
	Holding Holding
}

func (e *HeldError) Error() string { return "identifier is held" }

// LimitError says that the account has as many identifiers of a kind as it may.
type LimitError struct {
	Limit int
}

func (e *LimitError) Error() string { return "account has reached its limit" }

// TooSoonError says that the account changed its name too recently.
type TooSoonError struct {
	// AllowedAt is when it may again, by the database's clock.
	AllowedAt time.Time
}

func (e *TooSoonError) Error() string { return "account was renamed too recently" }

// UnavailableError says that the database that must answer did not, or that it
// has not said so in time: the outcome is unknown, and the same request may be sent again.
type UnavailableError struct {
	// RetryAfter is when a retry may succeed; an estimate.
	RetryAfter time.Duration
	// Cause is for logs only: it may hold addresses and SQL.
	Cause error
}

func (e *UnavailableError) Error() string { return "database is unavailable" }

// Unwrap gives the cause.
func (e *UnavailableError) Unwrap() error { return e.Cause }

// OverloadedError says that too much waits for the database already. Nothing was tried.
type OverloadedError struct {
	// RetryAfter is when a retry may succeed; an estimate.
	RetryAfter time.Duration
}

func (e *OverloadedError) Error() string { return "database is overloaded" }
