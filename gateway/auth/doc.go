// Package auth tells callers by their access tokens: JSON Web Tokens (RFC 7519)
// in the header Authorization (RFC 6750), signed by the keys of a JWK set (RFC
// 7517). It also signs the tokens of a demonstration.
//
// A key is pinned to one algorithm. A token names its key and must be signed by
// that key's algorithm, so no token chooses how it is verified. A token that is
// not good is an error, never an anonymous caller; the error holds nothing of the
// token, and nothing is logged.
package auth
