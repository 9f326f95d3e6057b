package identifier

// Rule is a rule of form. Its values are those of the GraphQL enum NameRule.
type Rule string

// The rules of form.
const (
	TooShort          Rule = "TOO_SHORT"
	TooLong           Rule = "TOO_LONG"
	InvalidCharacter  Rule = "INVALID_CHARACTER"
	InvalidStart      Rule = "INVALID_START"
	InvalidEnd        Rule = "INVALID_END"
	RepeatedSeparator Rule = "REPEATED_SEPARATOR"
	MixedScripts      Rule = "MIXED_SCRIPTS"
	NotUTF8           Rule = "NOT_UTF8"
)

// NoPosition marks a violation of the value as a whole.
const NoPosition = -1

// Violation is one rule of form that a value breaks.
type Violation struct {
	Rule     Rule
	Message  string // English, for developers
	Position int    // in code points from 0, or NoPosition
}
