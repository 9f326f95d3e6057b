package identifier

import "unicode/utf8"

// maxPrivate bounds a private value, in bytes, before and after parsing.
const maxPrivate = 255

// judgeBytes holds raw against what every private value must be: not empty, at
// most most bytes, valid UTF-8. Nothing after the bound is read.
func judgeBytes(raw string, most int) violations {
	var found violations
	switch {
	case raw == "":
		found.addTooShort(1, "characters")
	case len(raw) > most:
		found.addTooLong(most, "bytes")
	default:
		judgeUTF8(raw, &found)
	}
	return found
}

func judgeUTF8(raw string, found *violations) {
	for position := 0; raw != ""; position++ {
		r, size := utf8.DecodeRuneInString(raw)
		if r == utf8.RuneError && size == 1 {
			found.add(NotUTF8, position, "is not valid UTF-8")
			return
		}
		raw = raw[size:]
	}
}
