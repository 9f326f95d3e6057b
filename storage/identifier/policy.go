package identifier

import (
	_ "embed"
	"slices"
	"strings"
)

// coreWords is the part of every policy that an operator cannot lift.
//
//go:embed reserved.txt
var coreWords string

// Policy says which well-formed usernames nobody may have. It never changes and
// is safe for concurrent use; who reads a list again makes another Policy.
type Policy struct {
	whole map[string]struct{}
	// prefixes is sorted, and none begins with another. So the one that a name
	// begins with, if any, is the last that is not greater than the name: what
	// stands between a prefix and a name that begins with it begins with it too.
	prefixes []string
}

// NewPolicy makes a Policy of the embedded core list and of an operator's list,
// which may be empty and can only add.
func NewPolicy(operator []Word) *Policy {
	core, err := ParseWords(strings.NewReader(coreWords))
	if err != nil {
		panic("embedded list: " + err.Error()) // a test parses the same constant
	}
	p := &Policy{whole: make(map[string]struct{})}
	var prefixes []string
	for _, w := range slices.Concat(core, operator) {
		if w.prefix {
			prefixes = append(prefixes, w.text)
		} else {
			p.whole[w.text] = struct{}{}
		}
	}
	p.prefixes = withoutLonger(prefixes)
	return p
}

// withoutLonger sorts prefixes and drops each that begins with another.
func withoutLonger(prefixes []string) []string {
	slices.Sort(prefixes)
	var kept []string
	for _, prefix := range prefixes {
		if len(kept) == 0 || !strings.HasPrefix(prefix, kept[len(kept)-1]) {
			kept = append(kept, prefix)
		}
	}
	return kept
}

// Refuses reports whether policy bars id. Words are compared with the canonical
// form as a whole: `ad.min` is not `admin`. Only usernames are ever barred.
func (p *Policy) Refuses(id Identifier) bool {
	if id.Kind() != Username {
		return false
	}
	name := id.Canonical()
	if _, barred := p.whole[name]; barred {
		return true
	}
	i, exact := slices.BinarySearch(p.prefixes, name)
	return exact || i > 0 && strings.HasPrefix(name, p.prefixes[i-1])
}
