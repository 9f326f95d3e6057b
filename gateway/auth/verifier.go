package auth

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"

	"namegate/gateway/registry"
	"namegate/storage"
)

// The scopes that mean something here; others in a token are ignored.
const (
	ScopeService = "namegate:service"
	ScopeAdmin   = "namegate:admin"
)

const (
	// leeway is how far the clocks of an issuer and of a replica may differ.
	leeway = 30 * time.Second
	// maxToken bounds the work on a token that may be forged, in bytes.
	maxToken = 8 << 10
)

// Options say what access tokens must hold. Every field is required.
type Options struct {
	// Issuer is what a token's iss must be.
	Issuer string
	// Audience is what a token's aud must be or contain.
	Audience string
	// Clock judges exp, nbf and iat.
	Clock func() time.Time
}

func (o Options) validate() error {
	if o.Issuer == "" || o.Audience == "" { // the library takes these for "any"
		return errors.New("issuer and audience of access tokens must not be empty")
	}
	return nil
}

// Verifier tells callers by their access tokens. It is safe for concurrent use.
type Verifier struct {
	keys map[string]Key // by id
	opts Options
}

// NewVerifier makes a Verifier. Without keys it refuses every token.
func NewVerifier(keys []Key, opts Options) (*Verifier, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	v := &Verifier{keys: make(map[string]Key, len(keys)), opts: opts}
	for _, key := range keys {
		if _, twice := v.keys[key.id]; twice {
			return nil, fmt.Errorf("two keys have the kid %q", key.id)
		}
		v.keys[key.id] = key
	}
	return v, nil
}

// Authenticate tells who sends a request. Without the header Authorization that
// is an anonymous caller; with it, the token must be good. The error's text is
// for the client and holds nothing of the token.
func (v *Verifier) Authenticate(header http.Header) (registry.Caller, error) {
	values := header["Authorization"]
	if len(values) == 0 {
		return registry.Caller{}, nil
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return registry.Caller{}, errHeader
	}
	return v.verify(strings.TrimLeft(token, " "))
}

// verify tells the caller of a token. The signature comes before the claims: of
// a token that anybody could have made nothing is judged.
func (v *Verifier) verify(token string) (registry.Caller, error) {
	if len(token) > maxToken {
		return registry.Caller{}, errTooLong
	}
	signed, err := jwt.ParseSigned(token, algorithms)
	if err != nil {
		return registry.Caller{}, errMalformed
	}
	header := signed.Headers[0] // a compact JWT has one
	key, ok := v.keys[header.KeyID]
	if !ok {
		return registry.Caller{}, errKey
	}
	if header.Algorithm != string(key.algorithm) {
		return registry.Caller{}, errSignature
	}
	var c claims
	if err := signed.Claims(key.material, &c); err != nil {
		return registry.Caller{}, refusalOf(err)
	}
	if err := v.judge(c); err != nil {
		return registry.Caller{}, err
	}
	return c.caller(), nil
}

// claims are those of a token that count here.
type claims struct {
	jwt.Claims
	Scope string `json:"scope,omitempty"` // space-separated (RFC 8693, section 4.2)
}

// judge says what is wrong with the claims of a genuine token.
func (v *Verifier) judge(c claims) error {
	expected := jwt.Expected{Issuer: v.opts.Issuer, AnyAudience: jwt.Audience{v.opts.Audience}, Time: v.opts.Clock()}
	if err := c.ValidateWithLeeway(expected, leeway); err != nil {
		return refusalOf(err)
	}
	if c.Expiry == nil { // the library takes that for "never"
		return errExpiry
	}
	if storage.CheckOwner(c.Subject) != nil {
		return errSubject
	}
	return nil
}

// caller is who the claims speak of.
func (c claims) caller() registry.Caller {
	caller := registry.Caller{Role: registry.User, Subject: c.Subject}
	scopes := strings.Split(c.Scope, " ")
	if slices.Contains(scopes, ScopeService) {
		caller.Role = registry.Service
	}
	caller.Admin = slices.Contains(scopes, ScopeAdmin)
	return caller
}
