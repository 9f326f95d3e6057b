package storage

import (
	"context"
	"time"

	"namegate/storage/identifier"
)

// Change is a request that changes what an account has.
type Change struct {
	Request RequestKey
	// Arguments is the hash of all that the caller asked for (HashArguments), the
	// owner included.
	Arguments [32]byte
	// Owner is the account's id.
	Owner string
	// Actor is written to feed and audit: the caller's subject.
	Actor string
}

// Renamed is what a rename did.
type Renamed struct {
	Holding Holding
	// Former is the name given up, now Protected; nil when only the spelling changed.
	Former *Holding
}

// Changer moves identifiers to accounts, between an account's names, and away
// from accounts. Each change is done in every database or in none: it is decided
// in one transaction, and what is decided is carried out by whoever meets it,
// whatever became of the replica that began it.
//
// A request that has an outcome gets it again, word for word; with other
// arguments it gets ErrRequestConflict. A refusal changes nothing and is not
// remembered. Each method may also fail with *UnavailableError, *OverloadedError
// or the context's error; the outcome is then unknown, and a resend settles it.
type Changer interface {
	// Confirm gives the account what a reservation holds, and takes anew what ran
	// out and is still free. It fails with ErrNotFound when there is no such
	// reservation, *HeldError when something of it is another's by now, *LimitError.
	Confirm(ctx context.Context, c Change, reservation RequestKey) ([]Holding, error)
	// Rename moves the account from its username to another one, which must be
	// free or be protected for this account; the former one becomes Protected. To
	// another spelling of its own name only the display changes. An account that has
	// given its username up may take it back while it is protected. With the zero
	// Identifier only an earlier outcome can answer, else ErrNotFound. It fails with
	// ErrNotOwner when the account has no username else, *HeldError, *TooSoonError.
	Rename(ctx context.Context, c Change, to identifier.Identifier) (Renamed, error)
	// Release gives up one identifier, or with none all that the account has. A
	// username becomes Protected, others are Released. It fails with ErrNotOwner
	// when the account does not have the identifier.
	Release(ctx context.Context, c Change, ids ...identifier.Identifier) ([]Holding, error)
}

// Accounts says what accounts have.
type Accounts interface {
	// Account gives the identifiers of an account, by kind; empty when it has none.
	Account(ctx context.Context, owner string) ([]Holding, error)
	// Redirect gives the present username of the account for which a former name
	// is protected, while it is one of the account's Redirects newest. It fails
	// with ErrNotFound.
	Redirect(ctx context.Context, former identifier.Identifier) (Holding, error)
}

// Redirects is how many former names of an account lead to its present one.
const Redirects = 5

// Terms are the rules of changes.
type Terms struct {
	// Limits is how many identifiers of a kind an account may have. A kind that is
	// not in it may not be had at all. Usernames are one.
	Limits map[identifier.Kind]int
	// Protection is how long a former username is kept for its owner.
	Protection time.Duration
	// RenameCooldown is the time from one rename to the next; the first one is free.
	RenameCooldown time.Duration
}
