package identifier

import (
	"errors"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

const (
	// maxDigits is the length of the longest international number (ITU-T E.164, 6.2.1).
	maxDigits = 15
	// maxPhone bounds a number as written, in bytes: each digit may have company.
	maxPhone = 64
	// phoneSeparators is what people group digits with.
	phoneSeparators = " -./()"
	// unknownRegion makes the library take international numbers only.
	unknownRegion = "ZZ"
)

// phoneValue is the number in E.164: + and the digits as written. The library
// only says whether there can be such a number. One that it would have to change,
// such as +44 (0)20 with the trunk prefix of calls within the country, is refused:
// its metadata change with every release, and a key must not.
func phoneValue(raw string) (string, violations) {
	if found := judgeBytes(raw, maxPhone); len(found) > 0 {
		return "", found
	}
	number, found := internationalDigits(raw)
	if len(found) == 0 {
		judgeNumber(number, &found)
	}
	return number, found
}

// internationalDigits drops the separators of a number as written.
func internationalDigits(raw string) (number string, found violations) {
	digits := make([]byte, 0, maxPhone)
	if raw[0] != '+' {
		found.addInvalidStart()
	}
	position := 0
	for _, r := range raw {
		switch {
		case r >= '0' && r <= '9', r == '+' && position == 0:
			digits = append(digits, byte(r))
		case !strings.ContainsRune(phoneSeparators, r):
			found.add(InvalidCharacter, position, "may hold only a leading +, digits and the separators "+phoneSeparators)
		}
		position++
	}
	return string(digits), found
}

// judgeNumber holds + and digits against the numbering plan of their country.
func judgeNumber(number string, found *violations) {
	if len(number) > len("+")+maxDigits {
		found.addTooLong(maxDigits, "digits")
		return
	}
	parsed, err := phonenumbers.Parse(number, unknownRegion)
	if err != nil {
		judgeRefusal(err, found)
		return
	}
	switch phonenumbers.IsPossibleNumberWithReason(parsed) {
	case phonenumbers.TOO_SHORT, phonenumbers.IS_POSSIBLE_LOCAL_ONLY:
		found.add(TooShort, NoPosition, "has too few digits for its country")
	case phonenumbers.TOO_LONG:
		found.add(TooLong, NoPosition, "has too many digits for its country")
	default:
		if !phonenumbers.IsValidNumber(parsed) || phonenumbers.Format(parsed, phonenumbers.E164) != number {
			found.addNoSuchNumber()
		}
	}
}

// judgeRefusal says which rule is broken where the library finds no number at all.
func judgeRefusal(err error, found *violations) {
	switch {
	case errors.Is(err, phonenumbers.ErrInvalidCountryCode):
		found.addInvalidStart()
	case errors.Is(err, phonenumbers.ErrNumTooLong):
		found.add(TooLong, NoPosition, "has too many digits for its country")
	case errors.Is(err, phonenumbers.ErrTooShortNSN), errors.Is(err, phonenumbers.ErrNotANumber):
		found.add(TooShort, NoPosition, "has too few digits for its country")
	default:
		found.addNoSuchNumber()
	}
}

func (vs *violations) addInvalidStart() {
	vs.add(InvalidStart, 0, "does not start with + and a country calling code")
}

func (vs *violations) addNoSuchNumber() {
	vs.add(InvalidCharacter, NoPosition, "is no number of its country as dialled from abroad")
}
