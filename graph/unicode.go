package graph

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// paired says whether no escape in JSON or a GraphQL document names half of a
// surrogate pair. Decoders put U+FFFD there, so the name answered for would not
// be the one asked for.
func paired[T string | []byte](text T) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		first := escaped(text[i:])
		if !utf16.IsSurrogate(first) {
			i++ // a character after a backslash starts no escape
			continue
		}
		if utf16.DecodeRune(first, escaped(text[min(i+6, len(text)):])) == utf8.RuneError {
			return false
		}
		i += 11
	}
	return true
}

// escaped is the UTF-16 code unit that \uXXXX at the start of text names, or 0.
func escaped[T string | []byte](text T) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return rune(unit)
}
