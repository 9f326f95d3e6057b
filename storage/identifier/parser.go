package identifier

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
)

// minSecret is the shortest identifier secret, in bytes.
const minSecret = 16

// What decides a key beside the secret. A change of any of them is another
// registry: Fingerprint keeps it away from the databases of this one.
const (
	script         = "ascii"
	foldingVersion = "1"
	routingHash    = "crc32-ieee"
)

// fingerprintText stands for the secret in a fingerprint. It holds no NUL, so
// the hash of no private value is ever the same.
const fingerprintText = "namegate key fingerprint"

// Parser turns raw values into Identifiers. It is safe for concurrent use.
type Parser struct {
	secret []byte
}

// NewParser makes a Parser under the identifier secret, of which it keeps a
// copy. It refuses a secret of less than 16 bytes. The secret can never change:
// the keys of all private values depend on it.
func NewParser(secret []byte) (*Parser, error) {
	if len(secret) < minSecret {
		return nil, fmt.Errorf("identifier secret has %d bytes, at least %d are needed", len(secret), minSecret)
	}
	return &Parser{secret: slices.Clone(secret)}, nil
}

// Parse gives the canonical form and the key of raw. It fails with *FormError
// when raw breaks rules of form, and with another error when there is no such kind.
//
// Parsing the canonical form of a username again gives the same canonical form.
func (p *Parser) Parse(kind Kind, raw string) (Identifier, error) {
	switch kind {
	case Username:
		return parseUsername(raw)
	case Email:
		value, found := emailValue(raw)
		return p.private(kind, value, found)
	case Phone:
		value, found := phoneValue(raw)
		return p.private(kind, value, found)
	case License:
		value, found := licenseValue(raw)
		return p.private(kind, value, found)
	default:
		return Identifier{}, fmt.Errorf("unknown kind of identifier %d", kind)
	}
}

// private is the Identifier of a parsed value that is kept nowhere. Its key is
// the hex of HMAC-SHA-256 over the kind's name, a zero byte and the value.
func (p *Parser) private(kind Kind, value string, found violations) (Identifier, error) {
	if len(found) > 0 {
		return Identifier{}, &FormError{Violations: found}
	}
	sum := p.hash(kind.String() + "\x00" + value)
	return Identifier{kind: kind, key: hex.EncodeToString(sum)}, nil
}

// Fingerprint is 16 bytes that differ wherever keys or their vshards would: by
// the secret, the script of usernames, the folding, the hash of routes and the
// number of vshards. A database keeps it, and a replica with another one must
// not use that database. The secret cannot be computed from it.
func (p *Parser) Fingerprint(vshards int) []byte {
	h := sha256.New()
	h.Write(p.hash(fingerprintText))
	for _, part := range []string{script, foldingVersion, routingHash, strconv.Itoa(vshards)} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return h.Sum(nil)[:16]
}

func (p *Parser) hash(text string) []byte {
	h := hmac.New(sha256.New, p.secret)
	h.Write([]byte(text))
	return h.Sum(nil)
}
