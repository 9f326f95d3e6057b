package registry

import (
	"fmt"

	"namegate/storage"
)

// A request id is the only secret of an anonymous caller: 22 characters of
// base64 are 128 bits, and any usual form of a UUID fits. A signed-in caller's
// ids are its own, so they need only differ from each other.
const (
	minSecretRequestID = 22
	minOwnRequestID    = 8
	maxRequestID       = 64
)

// checkRequestID fails with *InputError.
func checkRequestID(caller Caller, id string) error {
	least := minOwnRequestID
	if caller.IsAnonymous() {
		least = minSecretRequestID
	}
	if len(id) < least || len(id) > maxRequestID || !printable(id) {
		return &InputError{Message: fmt.Sprintf(
			"requestId must be %d to %d characters of printable ASCII", least, maxRequestID)}
	}
	return nil
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// requestKey names what a caller asks for under a request id, apart from what
// every other caller asks for.
func requestKey(caller Caller, id string) storage.RequestKey {
	switch caller.Role {
	case User:
		return storage.NewUserRequestKey(caller.Subject, id)
	case Service:
		return storage.NewServiceRequestKey(caller.Subject, id)
	default:
		return storage.NewRequestKey(storage.Anonymous, id)
	}
}
