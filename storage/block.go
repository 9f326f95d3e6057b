package storage

import (
	"context"

	"namegate/storage/identifier"
)

// Order is what an operator orders for one identifier.
type Order struct {
	Identifier identifier.Identifier
	// Actor is who orders it, for feed and audit, and obeys CheckOwner.
	Actor string
	// Note is why, for the audit, and obeys CheckNote.
	Note string
}

// Blocked is what became of an order to block.
type Blocked struct {
	Standing
	// Changed is false when the identifier was blocked already, which stays as it was.
	Changed bool
}

// Blocker bars identifiers, and lets them go. Blocked ones are never free: an account
// that has one keeps it, a reservation cannot be confirmed, a former owner cannot take
// it back, and what nobody has, or gives up, nobody can have.
//
// Each method may also fail with *UnavailableError, when the outcome is unknown,
// *OverloadedError, when a change of the identifier is under way, or the context's error.
type Blocker interface {
	// Block blocks an identifier, after a change of it that had begun.
	Block(ctx context.Context, o Order) (Blocked, error)
	// Unblock lets an identifier be what it is without the block. What ran out, or was
	// given up, is free. It fails with ErrNotBlocked.
	Unblock(ctx context.Context, o Order) (Standing, error)
}

// maxNote is the longest note, in characters.
const maxNote = 500

// CheckNote says what keeps note from the audit: that takes 1 to 500 characters of
// printable text in UTF-8. Every way in must ask. The error's text goes after what
// people call the note.
func CheckNote(note string) error { return checkText(note, maxNote) }
