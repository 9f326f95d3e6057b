package registry

import (
	"fmt"
	"slices"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Request is who asks for a change, of which account, and under which request id.
type Request struct {
	Caller Caller
	// OwnerID is the account. A User may leave it nil or name itself; a Service
	// must give it.
	OwnerID *string
	// RequestID is the client's own, 8 to 64 characters of printable ASCII.
	RequestID string
}

// change states what the store is asked to do, whatever the operation's
// arguments are. It fails with ErrForbidden, ErrUnauthenticated or *InputError.
func (q Request) change(operation string, arguments ...string) (storage.Change, error) {
	owner, err := ownerFor(q.Caller, q.OwnerID)
	if err != nil {
		return storage.Change{}, err
	}
	if err := checkRequestID(q.Caller, q.RequestID); err != nil {
		return storage.Change{}, err
	}
	return storage.Change{
		Request:   requestKey(q.Caller, q.RequestID),
		Arguments: storage.HashArguments(operation, slices.Concat([]string{owner}, arguments)...),
		Owner:     owner,
		Actor:     q.Caller.Subject,
	}, nil
}

// ownerFor is the account that a caller acts for when it names one, or none.
func ownerFor(caller Caller, named *string) (string, error) {
	if err := caller.Require(User); err != nil {
		return "", err
	}
	switch {
	case caller.Role == Service && named == nil:
		return "", &InputError{Message: "ownerId is required of a back end"}
	case caller.Role == User && named != nil && *named != caller.Subject:
		return "", ErrForbidden
	case caller.Role == User:
		return caller.Subject, nil
	}
	if err := storage.CheckOwner(*named); err != nil {
		return "", &InputError{Message: fmt.Sprintf("ownerId %v", err)}
	}
	return *named, nil
}

// requireFor fails with ErrForbidden unless the caller may name values of a kind.
// Private ones are for back ends: whoever could try them out would learn who uses them.
func requireFor(caller Caller, kind identifier.Kind) error {
	if kind.Private() {
		return caller.Require(Service)
	}
	return nil
}

// argument is how a value stands in the hash of a request's arguments: as it was
// written or, when it is private, by its key. That hash is kept, and a phone number
// would soon be found by trying all.
func argument(raw string, id identifier.Identifier) string {
	if id.Kind().Private() {
		return id.Key()
	}
	return raw
}
