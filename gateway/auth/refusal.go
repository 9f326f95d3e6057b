package auth

import (
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// What is wrong with an access token. The texts are for clients.
var (
	errHeader      = errors.New("header Authorization must be given once, as Bearer with an access token")
	errTooLong     = fmt.Errorf("access token is longer than %d bytes", maxToken)
	errMalformed   = errors.New("access token is not a JWT that is signed by an accepted algorithm")
	errKey         = errors.New("access token names no key that is known here")
	errSignature   = errors.New("access token is not signed by the key that it names")
	errExpiry      = errors.New("access token has no exp")
	errExpired     = errors.New("access token has expired")
	errNotYetValid = errors.New("access token is not valid yet")
	errIssuer      = errors.New("access token is by another issuer")
	errAudience    = errors.New("access token is for another audience")
	errSubject     = errors.New("access token has no sub of 1 to 64 printable characters")
)

// refusalOf says in terms of a client what the library says of a token.
func refusalOf(err error) error {
	switch {
	case errors.Is(err, jose.ErrCryptoFailure):
		return errSignature
	case errors.Is(err, jwt.ErrExpired):
		return errExpired
	case errors.Is(err, jwt.ErrNotValidYet), errors.Is(err, jwt.ErrIssuedInTheFuture):
		return errNotYetValid
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return errIssuer
	case errors.Is(err, jwt.ErrInvalidAudience):
		return errAudience
	default:
		return errMalformed
	}
}
