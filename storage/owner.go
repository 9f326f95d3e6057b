package storage

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxOwner is the longest id of an account, in characters.
const maxOwner = 64

// CheckOwner says what keeps id from naming an account: that takes 1 to 64
// characters of printable text in UTF-8. U+FFFD is none of them: decoders put it
// in the place of what they cannot read, so two accounts could come out as one.
// Back ends are named by the same rule. Every way in must ask, as the store does
// not. The error's text goes after what people call the id: "owner is empty".
func CheckOwner(id string) error { return checkText(id, maxOwner) }

// checkText says what keeps a text from being printable, of 1 to longest characters.
func checkText(text string, longest int) error {
	switch {
	case text == "":
		return errors.New("is empty")
	case utf8.RuneCountInString(text) > longest:
		return fmt.Errorf("has more than %d characters", longest)
	case !utf8.ValidString(text):
		return errors.New("is not valid UTF-8")
	case strings.ContainsRune(text, utf8.RuneError):
		return errors.New("holds U+FFFD, which stands for what could not be read")
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		return errors.New("holds a character that cannot be printed")
	}
	return nil
}
