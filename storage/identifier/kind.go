package identifier

import "strconv"

// Kind is a kind of identifier. Its numbers stand in tables.
type Kind int16

// The kinds of identifier. Username is public; the others are private.
const (
	Username Kind = 1
	Email    Kind = 2
	Phone    Kind = 3
	License  Kind = 4
)

// Kinds lists every kind, in order of number.
func Kinds() []Kind { return []Kind{Username, Email, Phone, License} }

// Valid reports whether k is one of Kinds.
func (k Kind) Valid() bool { return k >= Username && k <= License }

// Private reports whether values of this kind are kept as keyed hashes only.
// What is not known to be public counts as private.
func (k Kind) Private() bool { return k != Username }

// String is the kind's name in the GraphQL enum IdentifierKind. The keys of
// private kinds depend on it, so a name never changes.
func (k Kind) String() string {
	switch k {
	case Username:
		return "USERNAME"
	case Email:
		return "EMAIL"
	case Phone:
		return "PHONE"
	case License:
		return "LICENSE"
	default:
		return "Kind(" + strconv.Itoa(int(k)) + ")"
	}
}
