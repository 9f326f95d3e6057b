package identifier

import "unicode/utf8"

// form is a rule for values of ASCII letters and digits. It is judged on the
// raw value: nothing outside ASCII may fold into it.
type form struct {
	least, most int  // length in code points
	separators  bool // whether single . and _ may stand inside
	alphabet    string
}

// fits reports whether raw breaks no rule. It allocates nothing.
func (f form) fits(raw string) bool {
	if len(raw) < f.least || len(raw) > f.most {
		return false
	}
	open := false // whether a separator may follow
	for i := range len(raw) {
		alnum := alphanumeric(rune(raw[i]))
		if !alnum && !(open && f.separates(rune(raw[i]))) {
			return false
		}
		open = alnum
	}
	return open
}

// judge says which rules raw breaks, none exactly when it fits. Of a value that
// is too long it reads the permitted length and no further, so a hostile value
// costs no more than a valid one; its end is then not judged.
func (f form) judge(raw string) violations {
	var found violations
	length := countUpTo(raw, f.most+1)
	if length < f.least {
		found.addTooShort(f.least, "characters")
	}
	if length > f.most {
		found.addTooLong(f.most, "characters")
	}
	f.judgeCharacters(raw, length, &found)
	return found
}

// judgeCharacters judges the first f.most of length code points of raw.
func (f form) judgeCharacters(raw string, length int, found *violations) {
	afterSeparator := false
	for position := 0; position < min(length, f.most); position++ {
		r, size := utf8.DecodeRuneInString(raw)
		raw = raw[size:]
		separator := f.separates(r)
		switch {
		case r == utf8.RuneError && size == 1:
			found.add(NotUTF8, position, "is not valid UTF-8")
		case !separator && !alphanumeric(r):
			found.add(InvalidCharacter, position, "may hold only "+f.alphabet)
		}
		if separator {
			f.judgeSeparator(position, length, afterSeparator, found)
		}
		afterSeparator = separator
	}
}

func (f form) judgeSeparator(position, length int, afterSeparator bool, found *violations) {
	if position == 0 {
		found.add(InvalidStart, position, "does not start with a letter or digit")
	}
	if afterSeparator {
		found.add(RepeatedSeparator, position, "has two separators in a row")
	}
	if position == length-1 {
		found.add(InvalidEnd, position, "does not end with a letter or digit")
	}
}

func (f form) separates(r rune) bool { return f.separators && (r == '.' || r == '_') }

func alphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z'
}

// countUpTo is the number of code points of s, at most limit. A byte that is no
// UTF-8 counts as one.
func countUpTo(s string, limit int) int {
	n := 0
	for range s {
		if n == limit {
			break
		}
		n++
	}
	return n
}
