package graph

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Limits of one operation, all counted after fragments are put in place but the
// first and the last. GraphiQL's introspection query has some 300 fields and a
// depth of 13.
const (
	maxTokens     = 1000 // of the document
	maxFields     = 400
	maxDepth      = 16
	maxRootFields = 20 // aliases count each
	// maxRepeats is how often one selection set may name the same field. Validation
	// compares each with each.
	maxRepeats = 20
	// maxSuggestions is in how many places suggestions may be asked for: each costs several checks.
	maxSuggestions = 4
)

// extent is the size of a selection set.
type extent struct {
	fields      int // at all levels, at most maxFields+1
	depth       int
	roots       int // at the top level, at most maxFields+1
	repeats     int
	suggestions int  // at all levels, at most maxFields+1
	introspects bool // at the top level
}

// tooLarge names the limit that the operation is over, or is nil.
func (e extent) tooLarge() *gqlerror.Error {
	switch {
	case e.fields > maxFields:
		return refuse(codeOperationTooLarge, "operation has more than %d fields", maxFields)
	case e.depth > maxDepth:
		return refuse(codeOperationTooLarge, "operation is deeper than %d fields", maxDepth)
	case e.roots > maxRootFields:
		return refuse(codeOperationTooLarge, "operation has more than %d root fields", maxRootFields)
	case e.repeats > maxRepeats:
		return refuse(codeOperationTooLarge, "operation names a field more than %d times in one place", maxRepeats)
	case e.suggestions > maxSuggestions:
		return refuse(codeOperationTooLarge, "operation asks for suggestions in more than %d places", maxSuggestions)
	default:
		return nil
	}
}

// merge adds selections of the same level.
func (e *extent) merge(other extent) {
	// Saturating: the sum over nested fragments is exponential in their number.
	e.fields = min(e.fields+other.fields, maxFields+1)
	e.roots = min(e.roots+other.roots, maxFields+1)
	e.suggestions = min(e.suggestions+other.suggestions, maxFields+1)
	e.depth = max(e.depth, other.depth)
	e.repeats = max(e.repeats, other.repeats)
	e.introspects = e.introspects || other.introspects
}

// measurer measures each fragment once, however often it is spread. The document
// need not be valid.
type measurer struct {
	definitions ast.FragmentDefinitionList
	fragments   map[string]extent
}

func (m *measurer) measure(set ast.SelectionSet) extent {
	var sum extent
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			sum.merge(m.field(s))
		case *ast.InlineFragment:
			sum.merge(m.measure(s.SelectionSet))
		case *ast.FragmentSpread:
			sum.merge(m.spread(s.Name))
		}
	}
	sum.repeats = max(sum.repeats, repeats(set, map[string]int{}))
	return sum
}

func (m *measurer) field(f *ast.Field) extent {
	below := m.measure(f.SelectionSet)
	if f.Name == "suggestions" {
		below.suggestions++
	}
	return extent{
		fields:      below.fields + 1,
		depth:       below.depth + 1,
		roots:       1,
		repeats:     below.repeats,
		suggestions: below.suggestions,
		introspects: f.Name == "__schema" || f.Name == "__type",
	}
}

// spread is the size of a fragment. An unknown one, and one within itself, has
// none: validation refuses them.
func (m *measurer) spread(name string) extent {
	if known, ok := m.fragments[name]; ok {
		return known
	}
	definition := m.definitions.ForName(name)
	if definition == nil {
		return extent{}
	}
	m.fragments[name] = extent{}
	m.fragments[name] = m.measure(definition.SelectionSet)
	return m.fragments[name]
}

// repeats is how often the most frequent response key stands in a selection set,
// inline fragments included.
func repeats(set ast.SelectionSet, keys map[string]int) int {
	most := 0
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			keys[s.Alias]++
			most = max(most, keys[s.Alias])
		case *ast.InlineFragment:
			most = max(most, repeats(s.SelectionSet, keys))
		}
	}
	return most
}
