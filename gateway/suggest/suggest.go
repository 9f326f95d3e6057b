package suggest

import (
	"hash/fnv"
	"iter"
	"strconv"
	"strings"
)

// The lengths of a username.
const (
	minName = 3
	maxName = 30
)

// Names gives names for a text, the best first and each once. They have the form of
// usernames; who asks stops when it has enough, after some forty they end.
func Names(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		m := maker{seed: seedOf(text), yield: yield, given: map[string]bool{}}
		if words := wordsOf(text); len(words) > 0 {
			m.ofWords(words)
		} else {
			m.friendly()
		}
	}
}

// seedOf is for choices that are to look like a person's, and always the same.
func seedOf(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(cut(text, maxText))) // it never fails
	return h.Sum64()
}

// maker makes the names for one text.
type maker struct {
	seed  uint64
	yield func(string) bool
	given map[string]bool
	ended bool
}

// give passes a name on that is one, once.
func (m *maker) give(name string) {
	if m.ended || len(name) < minName || len(name) > maxName || m.given[name] {
		return
	}
	m.given[name] = true
	m.ended = !m.yield(name)
}

// companions go before a word. None claims to be the real one.
var companions = [...]string{"its.", "hey.", "the.", "just.", "im."}

// ofWords gives the words themselves, joined, with a companion, with a number.
func (m *maker) ofWords(words []string) {
	if len(words) > 1 {
		m.join(words)
	}
	base := strings.Join(words, ".")
	if len(base) > maxName-len("just.") {
		base = strings.TrimRight(cut(strings.Join(words, ""), maxName-len("just.")), ".")
	}
	m.give(base)
	plain := strings.TrimRight(base, "0123456789.")
	if len(plain) < 2 {
		plain = base
	}
	m.give(plain)
	short := cut(strings.ReplaceAll(plain, ".", ""), maxName-2)
	for i := range companions {
		m.give(companions[(m.seed+uint64(i))%uint64(len(companions))] + plain)
		m.give(short + m.number(i))
	}
	m.give(plain + ".hq")
	m.give(plain + "_" + plain[:1])
	for i := range 10 {
		m.give(short + m.number(len(companions)+i))
	}
}

// number is the nth of some numbers of one or two digits.
func (m *maker) number(n int) string {
	return strconv.FormatUint(2+(m.seed>>8+uint64(n)*37)%98, 10) // no factor in common: none comes twice
}

// join gives the ways in which people join their names.
func (m *maker) join(words []string) {
	first, last := words[0], words[len(words)-1]
	for _, name := range []string{
		strings.Join(words, "."), strings.Join(words, ""), first + "." + last, first + last, strings.Join(words, "_"),
		first[:1] + "." + last, first[:1] + last, first + "." + last[:1], first + last[:1], last + "." + first, last + first,
	} {
		m.give(name)
	}
}

// friendly gives pairs of words that mean well.
func (m *maker) friendly() {
	for i := range uint64(20) {
		adjective, noun := m.seed%101+i, m.seed>>8%101+5*i
		m.give(adjectives[adjective%uint64(len(adjectives))] + "." + nouns[noun%uint64(len(nouns))])
	}
}
