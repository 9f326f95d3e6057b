package registry

import "errors"

// Role is what a caller may do. A later one includes those before it. Its values
// but Anonymous are those of the GraphQL enum Role.
type Role int

// The roles.
const (
	// Anonymous may check, reserve, and cancel what it reserved.
	Anonymous Role = iota
	// User is a signed-in account: it acts for its own subject only.
	User
	// Service is a trusted back end: it acts for any account.
	Service
)

// Caller is who asks, as its access token says. The zero value is anonymous.
type Caller struct {
	Role Role
	// Subject names the account or the back end, by the rule of storage.CheckOwner;
	// "" exactly when anonymous.
	Subject string
	// Admin says that the caller may operate the registry.
	Admin bool
}

// IsAnonymous says whether the caller came without an access token.
func (c Caller) IsAnonymous() bool { return c.Role == Anonymous }

// Satisfies says whether the caller may do what a role may.
func (c Caller) Satisfies(role Role) bool { return c.Role >= role }

// Require fails with ErrUnauthenticated or ErrForbidden unless the caller
// satisfies a role.
func (c Caller) Require(role Role) error {
	switch {
	case c.Satisfies(role):
		return nil
	case c.IsAnonymous():
		return ErrUnauthenticated
	default:
		return ErrForbidden
	}
}

var (
	// ErrUnauthenticated says that an anonymous caller asked for what needs an
	// access token.
	ErrUnauthenticated = errors.New("an access token is required")
	// ErrForbidden says that the caller's access token does not allow what it asked for.
	ErrForbidden = errors.New("the access token does not allow this")
)
