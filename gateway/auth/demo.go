package auth

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"namegate/storage"
)

// demoKeyID is the kid of demonstration keys.
const demoKeyID = "namegate-demo"

// Demo signs access tokens for trying namegate out. Whoever can ask it can be
// anybody, so it must be reachable from the own machine alone. It is safe for
// concurrent use.
type Demo struct {
	key    Key
	signer jose.Signer
	opts   Options
}

// NewDemo makes a Demo that signs by HS256 with a secret of at least 32 bytes.
func NewDemo(secret []byte, opts Options) (*Demo, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	key := Key{id: demoKeyID, algorithm: jose.HS256, material: secret}
	if err := key.check(); err != nil {
		return nil, err
	}
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: key.algorithm, Key: secret},
		new(jose.SignerOptions).WithType("JWT").WithHeader("kid", key.id),
	)
	if err != nil {
		return nil, fmt.Errorf("make demo signer: %w", err)
	}
	return &Demo{key: key, signer: signer, opts: opts}, nil
}

// Key verifies what the Demo signs.
func (d *Demo) Key() Key { return d.key }

// Grant says what an access token allows, to whom and for how long.
type Grant struct {
	// Subject is the account, or the back end, of the token.
	Subject string
	// Scope lists ScopeService and ScopeAdmin, separated by spaces; "" for neither.
	Scope string
	// TTL is how long the token is good, at least a second.
	TTL time.Duration
}

// Validate says what keeps a token of the grant from being accepted.
func (g Grant) Validate() error {
	if err := storage.CheckOwner(g.Subject); err != nil {
		return fmt.Errorf("subject %w", err)
	}
	for scope := range strings.FieldsSeq(g.Scope) {
		if scope != ScopeService && scope != ScopeAdmin {
			return fmt.Errorf("scope %q is neither %s nor %s", scope, ScopeService, ScopeAdmin)
		}
	}
	if g.TTL < time.Second {
		return errors.New("an access token must be good for at least a second")
	}
	return nil
}

// Token signs an access token. It fails when the grant is not valid.
func (d *Demo) Token(g Grant) (string, error) {
	if err := g.Validate(); err != nil {
		return "", err
	}
	now := d.opts.Clock()
	return jwt.Signed(d.signer).Claims(claims{
		Claims: jwt.Claims{
			Issuer:   d.opts.Issuer,
			Subject:  g.Subject,
			Audience: jwt.Audience{d.opts.Audience},
			IssuedAt: jwt.NewNumericDate(now),
			Expiry:   jwt.NewNumericDate(now.Add(g.TTL)),
		},
		Scope: strings.Join(strings.Fields(g.Scope), " "),
	}).Serialize()
}
