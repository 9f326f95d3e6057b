package auth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"
)

// The least sizes of keys (RFC 7518, sections 3.2 and 3.3).
const (
	minSecretBytes = 32
	minRSABits     = 2048
)

// algorithms are those that a key can be pinned to.
var algorithms = []jose.SignatureAlgorithm{jose.EdDSA, jose.ES256, jose.RS256, jose.HS256}

// Key verifies the access tokens that name it, by one algorithm.
type Key struct {
	id        string
	algorithm jose.SignatureAlgorithm
	material  any // ed25519.PublicKey, *ecdsa.PublicKey, *rsa.PublicKey or []byte
}

// ParseKeys reads a JWK set. Each key must have a kid and an alg, which is EdDSA
// (Ed25519), ES256, RS256 or HS256, and fit that algorithm; private keys are
// refused, as they belong to the issuer alone. One bad key refuses the set.
func ParseKeys(text []byte) ([]Key, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("parse JWK set: %w", err)
	}
	if len(set.Keys) == 0 {
		return nil, errors.New("parse JWK set: it has no keys")
	}
	keys := make([]Key, len(set.Keys))
	for i, text := range set.Keys {
		var err error
		if keys[i], err = parseKey(text); err != nil {
			return nil, fmt.Errorf("parse JWK set: key %d: %w", i+1, err)
		}
	}
	return keys, nil
}

func parseKey(text []byte) (Key, error) {
	var jwk jose.JSONWebKey
	if err := jwk.UnmarshalJSON(text); err != nil {
		return Key{}, err
	}
	if jwk.KeyID == "" {
		return Key{}, errors.New("kid is missing")
	}
	if jwk.Use != "" && jwk.Use != "sig" {
		return Key{}, errors.New("use is not sig")
	}
	key := Key{id: jwk.KeyID, algorithm: jose.SignatureAlgorithm(jwk.Algorithm), material: jwk.Key}
	return key, key.check()
}

// check says what keeps the key from verifying by its algorithm.
func (k Key) check() error {
	switch material := k.material.(type) {
	case ed25519.PublicKey:
		return k.pin(jose.EdDSA)
	case *ecdsa.PublicKey:
		if material.Curve != elliptic.P256() {
			return errors.New("curve is not P-256")
		}
		return k.pin(jose.ES256)
	case *rsa.PublicKey:
		if material.N.BitLen() < minRSABits {
			return fmt.Errorf("key has fewer than %d bits", minRSABits)
		}
		return k.pin(jose.RS256)
	case []byte:
		if len(material) < minSecretBytes {
			return fmt.Errorf("key has fewer than %d bytes", minSecretBytes)
		}
		return k.pin(jose.HS256)
	default:
		return errors.New("key is not a public one, nor a secret for HS256")
	}
}

// pin says whether the key states the one algorithm of its type.
func (k Key) pin(algorithm jose.SignatureAlgorithm) error {
	if k.algorithm != algorithm {
		return fmt.Errorf("alg is not %s, as a key of this type needs", algorithm)
	}
	return nil
}
