package auth_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"namegate/gateway/auth"
	"namegate/gateway/registry"
)

// now is the moment at which all tests take place.
var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

var options = auth.Options{Issuer: "issuer", Audience: "namegate", Clock: func() time.Time { return now }}

// issuer holds a key of each algorithm; its kid is the algorithm's name.
type issuer struct {
	private map[string]any
	public  map[string]any // as the key file has it
}

// theIssuer is made once: an RSA key takes a while.
var theIssuer = sync.OnceValue(func() issuer {
	edPublic, edPrivate, err := ed25519.GenerateKey(rand.Reader)
	must(err)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	must(err)
	secret := bytes.Repeat([]byte("s"), 32)
	return issuer{
		private: map[string]any{"EdDSA": edPrivate, "ES256": ec, "RS256": rsaKey, "HS256": secret},
		public:  map[string]any{"EdDSA": edPublic, "ES256": &ec.PublicKey, "RS256": &rsaKey.PublicKey, "HS256": secret},
	}
})

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// jwk is a key as a key file has it.
func jwk(t testing.TB, key any, kid, alg string) string {
	t.Helper()
	text, err := jose.JSONWebKey{Key: key, KeyID: kid, Algorithm: alg}.MarshalJSON()
	require.NoError(t, err)
	return string(text)
}

// keySet is a key file of the given keys.
func keySet(keys ...string) []byte {
	raw := make([]json.RawMessage, len(keys))
	for i, key := range keys {
		raw[i] = json.RawMessage(key)
	}
	text, err := json.Marshal(map[string]any{"keys": raw})
	must(err)
	return text
}

// verifier has all keys of the issuer.
func verifier(t testing.TB) *auth.Verifier {
	t.Helper()
	var keys []string
	for alg, key := range theIssuer().public {
		keys = append(keys, jwk(t, key, alg, alg))
	}
	return verifierOf(t, keys...)
}

func verifierOf(t testing.TB, keys ...string) *auth.Verifier {
	t.Helper()
	parsed, err := auth.ParseKeys(keySet(keys...))
	require.NoError(t, err)
	v, err := auth.NewVerifier(parsed, options)
	require.NoError(t, err)
	return v
}

// with are the claims of a good token, changed; nil takes a claim out.
func with(changes map[string]any) map[string]any {
	claims := map[string]any{"iss": "issuer", "aud": "namegate", "sub": "user:1", "exp": now.Add(time.Hour).Unix()}
	for name, value := range changes {
		if value == nil {
			delete(claims, name)
			continue
		}
		claims[name] = value
	}
	return claims
}

// sign signs claims with the issuer's key for an algorithm, under a kid.
func sign(t testing.TB, alg, kid string, claims map[string]any) string {
	t.Helper()
	return signWith(t, jose.SignatureAlgorithm(alg), theIssuer().private[alg], kid, claims)
}

func signWith(t testing.TB, alg jose.SignatureAlgorithm, key any, kid string, claims map[string]any) string {
	t.Helper()
	text, err := json.Marshal(claims)
	require.NoError(t, err)
	return signText(t, alg, key, map[jose.HeaderKey]any{"kid": kid}, string(text))
}

// signText signs any text under any header.
func signText(t testing.TB, alg jose.SignatureAlgorithm, key any, header map[jose.HeaderKey]any, text string) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, &jose.SignerOptions{ExtraHeaders: header})
	require.NoError(t, err)
	signed, err := signer.Sign([]byte(text))
	require.NoError(t, err)
	token, err := signed.CompactSerialize()
	require.NoError(t, err)
	return token
}

// encoded is a part of a token.
func encoded(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

func payload(t testing.TB, claims map[string]any) string {
	t.Helper()
	text, err := json.Marshal(claims)
	require.NoError(t, err)
	return encoded(string(text))
}

func authenticate(v *auth.Verifier, token string) (registry.Caller, error) {
	return v.Authenticate(http.Header{"Authorization": {"Bearer " + token}})
}

// requireRefused demands that a token makes nobody, and that the reason holds
// nothing of it.
func requireRefused(t *testing.T, v *auth.Verifier, token, reason string) {
	t.Helper()
	caller, err := authenticate(v, token)
	require.ErrorContains(t, err, reason)
	require.Zero(t, caller)
	if len(token) > 20 {
		require.NotContains(t, err.Error(), token[:20])
	}
}
