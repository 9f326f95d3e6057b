package identifier

// Identifier is a value in canonical form. Only a Parser and Stored make one, so
// a raw string can reach neither a route nor a table.
type Identifier struct {
	kind      Kind
	key       string
	canonical string
	display   string
}

// Stored makes an Identifier of columns that a Parser's Identifier filled.
func Stored(kind Kind, key, canonical, display string) Identifier {
	return Identifier{kind: kind, key: key, canonical: canonical, display: display}
}

// Kind is the identifier's kind.
func (i Identifier) Kind() Kind { return i.kind }

// Key is what is routed and unique. For a private kind it is a keyed hash.
func (i Identifier) Key() string { return i.key }

// Canonical is the folded form that people see; "" for a private kind.
func (i Identifier) Canonical() string { return i.canonical }

// Display is the value as its owner wrote it; "" for a private kind.
func (i Identifier) Display() string { return i.display }
