package identifier

import (
	"strconv"
	"strings"
)

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

// FormError refuses a value that breaks rules of form. Neither its text nor its
// violations repeat the value.
type FormError struct {
	// Violations has at least one entry and each rule at most once: where it is
	// broken first, in order of position, those of the whole value before all.
	Violations []Violation
}

// Error names the broken rules.
func (e *FormError) Error() string {
	rules := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		rules[i] = string(v.Rule)
	}
	return "value breaks rules of form: " + strings.Join(rules, ", ")
}

// violations collects broken rules in order of position.
type violations []Violation

// add notes where a rule is broken, unless it is noted for an earlier position.
func (vs *violations) add(rule Rule, position int, message string) {
	for _, v := range *vs {
		if v.Rule == rule {
			return
		}
	}
	*vs = append(*vs, Violation{Rule: rule, Message: message, Position: position})
}

// addTooShort says that a value has fewer than least of unit.
func (vs *violations) addTooShort(least int, unit string) {
	vs.add(TooShort, NoPosition, "has fewer than "+strconv.Itoa(least)+" "+unit)
}

// addTooLong says that a value has more than most of unit.
func (vs *violations) addTooLong(most int, unit string) {
	vs.add(TooLong, NoPosition, "has more than "+strconv.Itoa(most)+" "+unit)
}
