package suggest

import (
	"strings"
	"unicode/utf8"

	"github.com/mozillazg/go-unidecode"
)

const (
	// maxText is how many bytes of a text are looked at.
	maxText = 200
	// maxWords is of how many words a name is made.
	maxWords = 3
)

// wordsOf are the words of a text in letters and digits of ASCII, lower case.
func wordsOf(text string) []string {
	text = strings.ToValidUTF8(cut(text, maxText), " ")
	if name, _, isMail := strings.Cut(text, "@"); isMail && name != "" {
		text = name // where mail goes is nobody's name
	}
	// An apostrophe is within a word: o'brien.
	text = strings.NewReplacer("'", "", "’", "").Replace(unidecode.Unidecode(text))
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return words[:min(len(words), maxWords)]
}

// cut gives at most n bytes of a text, and no part of a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Friendly words, for texts that have none.
var (
	adjectives = [...]string{"bright", "calm", "clever", "gentle", "golden", "happy", "lucky", "merry", "quiet", "silver", "sunny", "swift"}
	nouns      = [...]string{"badger", "comet", "falcon", "fox", "heron", "maple", "meadow", "otter", "pebble", "river", "robin", "willow"}
)
