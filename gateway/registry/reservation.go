package registry

import "namegate/storage"

// ReserveInput asks to hold one username.
type ReserveInput struct {
	// Scope keeps one caller's request ids apart from another's: its role and
	// subject, or storage.Anonymous.
	Scope string
	// Actor is the caller's subject for the audit, "" when anonymous.
	Actor string
	Name  string
	// Alternatives are tried in order when Name is not to be had; at most MaxAlternatives.
	Alternatives []string
	// RequestID is the client's own, 22 to 64 characters.
	RequestID string
}

// Reservation is a name held for a sign-up, with the secret that commands it.
type Reservation struct {
	Holding storage.Holding
	Token   string
}
