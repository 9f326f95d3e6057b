package identifier

import (
	"net/mail"
	"strings"

	"golang.org/x/net/idna"
)

// maxLocalPart bounds the part before the @, in bytes (RFC 5321, 4.5.3.1.1).
const maxLocalPart = 64

// lookupDomain is idna.Lookup with the lengths of DNS enforced.
var lookupDomain = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.VerifyDNSLength(true))

// emailValue is the local part as it is, @ and the domain in A-labels. Only the
// host of a mailbox may interpret its local part (RFC 5321, 2.3.11), so neither
// case nor dots nor tags are folded there.
func emailValue(raw string) (string, violations) {
	if found := judgeBytes(raw, maxPrivate); len(found) > 0 {
		return "", found
	}
	var found violations
	address, ok := bareAddress(raw)
	if !ok {
		found.add(InvalidCharacter, NoPosition, "is not an address of the form local@domain")
		return "", found
	}
	if strings.LastIndexByte(raw, '@') > maxLocalPart {
		found.addTooLong(maxLocalPart, "bytes before the @")
	}
	at := strings.LastIndexByte(address, '@')
	domain, ok := asciiDomain(address[at+1:])
	if !ok {
		found.add(InvalidCharacter, NoPosition, "has a domain that is not a valid host name")
	}
	value := address[:at+1] + domain
	if len(value) > maxPrivate {
		found.addTooLong(maxPrivate, "bytes with its domain in ASCII")
	}
	return value, found
}

// bareAddress parses an addr-spec that is written in the one plain way: without
// a display name, angle brackets, comments, folding white space, or quotes that
// its local part does not need.
func bareAddress(raw string) (address string, ok bool) {
	parsed, err := mail.ParseAddress(raw)
	if err != nil {
		return "", false
	}
	plain := mail.Address{Address: parsed.Address}
	return parsed.Address, plain.String() == "<"+raw+">"
}

// asciiDomain folds case and encodes labels outside ASCII. A domain that IDNA
// would map in any other way is refused: those mappings differ between versions
// of Unicode (capital sharp s), and a key must not.
func asciiDomain(domain string) (ascii string, ok bool) {
	ascii, err := lookupDomain.ToASCII(domain)
	if err != nil {
		return "", false
	}
	want, err := idna.Punycode.ToUnicode(strings.ToLower(domain))
	if err != nil {
		return "", false
	}
	got, err := idna.Punycode.ToUnicode(ascii)
	return ascii, err == nil && got == want
}
