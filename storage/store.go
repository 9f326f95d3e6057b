package storage

import (
	"context"

	"namegate/storage/identifier"
)

// Reader answers who holds an identifier.
type Reader interface {
	// Lookup reads the owning database. It fails with *UnavailableError,
	// *OverloadedError or the context's error.
	Lookup(ctx context.Context, id identifier.Identifier) (Standing, error)
}

// Reserver holds identifiers for sign-ups and gives them back.
//
// Each method may also fail with *UnavailableError, *OverloadedError or the
// context's error; the outcome is then unknown, and a resend settles it.
type Reserver interface {
	// Reserve wins the first candidate that is free, records the outcome under
	// the request and only then returns it. A request that has an outcome gets
	// it again, word for word. It fails with *HeldError when no candidate is to
	// be had, ErrRequestConflict when the request has other arguments,
	// ErrNotFound when there was no candidate; then it has changed nothing.
	Reserve(ctx context.Context, req ReserveRequest) (Outcome, error)
	// ReserveAll wins every candidate or none, and is else like Reserve. Its
	// *HeldError describes the first candidate that is not to be had.
	ReserveAll(ctx context.Context, req ReserveRequest) (Outcomes, error)
	// Reservation gives what a request won and still holds, maybe nothing. It
	// fails with ErrNotFound when there is no record of the request.
	Reservation(ctx context.Context, key RequestKey) ([]Holding, error)
	// Cancel gives back what a request holds and says what that was. It fails
	// with ErrNotFound when nothing was left to give back.
	Cancel(ctx context.Context, key RequestKey) ([]Holding, error)
}

// ImportLine is one parsed line of an import.
type ImportLine struct {
	Number     int // line number, from 1
	Identifier identifier.Identifier
	Owner      string // "" for a name that only operators can change
}

// ImportOutcome is what became of one line.
type ImportOutcome struct {
	Number int
	// Refused is empty for a name that is held now as the line says, be it by
	// this import or an earlier one; else English text.
	Refused string
	// Added is false where the name was there already.
	Added bool
}

// Importer takes existing names over as Active holdings.
type Importer interface {
	// Import writes lines in bulk and is safe to repeat: a line that is there
	// already changes nothing. Outcomes are in the order of lines.
	Import(ctx context.Context, lines []ImportLine) ([]ImportOutcome, error)
}

// Store is the whole contract.
type Store interface {
	Reader
	Reserver
	Changer
	Accounts
	Importer
	Blocker
}
