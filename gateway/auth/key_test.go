package auth_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/auth"
)

func TestKeyFilesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	of := theIssuer()
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	require.NoError(t, err)
	ed := jwk(t, of.public["EdDSA"], "a", "EdDSA")
	changed := func(from, to string) []byte {
		text := strings.Replace(ed, from, to, 1)
		require.NotEqual(t, ed, text)
		return keySet(text)
	}
	oct := func(secret string) string {
		return `{"kty":"oct","kid":"a","alg":"HS256","k":"` + base64.RawURLEncoding.EncodeToString([]byte(secret)) + `"}`
	}
	for name, tc := range map[string]struct {
		text  []byte
		wrong string
	}{
		"nothing":              {nil, "parse JWK set"},
		"no JSON":              {[]byte("hunter2hunter2hunter2hunter2hunter2"), "parse JWK set"},
		"something after it":   {append(keySet(ed), '{'), "parse JWK set"},
		"a key alone":          {[]byte(ed), "it has no keys"},
		"no keys":              {keySet(), "it has no keys"},
		"keys of another form": {[]byte(`{"keys":{}}`), "parse JWK set"},
		"a key of no form":     {keySet(ed, `"hunter2"`), "key 2"},
		"no type":              {changed(`"kty":"OKP",`, ""), "key 1"},
		"an unknown type":      {changed(`"OKP"`, `"XYZ"`), "key 1"},
		"an unknown curve":     {changed(`"Ed25519"`, `"X25519"`), "key 1"},
		"no point":             {changed(`"x":"`, `"y":"`), "key 1"},
		"a member twice":       {changed(`"kid":"a"`, `"kid":"b","kid":"a"`), "key 1"},
		"no kid":               {changed(`"kid":"a",`, ""), "kid is missing"},
		"no alg":               {changed(`"alg":"EdDSA",`, ""), "alg is not EdDSA"},
		"an unknown alg":       {changed(`"EdDSA"`, `"none"`), "alg is not EdDSA"},
		"alg of another type":  {keySet(jwk(t, of.public["RS256"], "a", "HS256")), "alg is not RS256"},
		"alg of another key":   {keySet(jwk(t, of.public["ES256"], "a", "RS256")), "alg is not ES256"},
		"PS256":                {keySet(jwk(t, of.public["RS256"], "a", "PS256")), "alg is not RS256"},
		"another curve":        {keySet(jwk(t, p384.Public(), "a", "ES256")), "curve is not P-256"},
		"for encryption":       {changed(`"kid"`, `"use":"enc","kid"`), "use is not sig"},
		"a private key":        {keySet(jwk(t, of.private["EdDSA"], "a", "EdDSA")), "not a public one"},
		"another private key":  {keySet(jwk(t, of.private["RS256"], "a", "RS256")), "not a public one"},
		"a short secret":       {keySet(oct(strings.Repeat("hunter2", 4))), "fewer than 32 bytes"},
		"a small RSA key": {
			keySet(`{"kty":"RSA","kid":"a","alg":"RS256","e":"AQAB","n":"` + base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{0xff}, 128)) + `"}`),
			"fewer than 2048 bits",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, err := auth.ParseKeys(tc.text)
			require.ErrorContains(t, err, tc.wrong)
			require.Nil(t, keys)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

// Keys of one name would make it a matter of chance which one verifies.
func TestAKidNamesOneKey(t *testing.T) {
	t.Parallel()
	of := theIssuer()
	keys, err := auth.ParseKeys(keySet(jwk(t, of.public["EdDSA"], "a", "EdDSA"), jwk(t, of.public["HS256"], "a", "HS256")))
	require.NoError(t, err)
	_, err = auth.NewVerifier(keys, options)
	require.ErrorContains(t, err, `two keys have the kid "a"`)
}

func TestMembersOfNoConcernArePassedOver(t *testing.T) {
	t.Parallel()
	text := strings.Replace(jwk(t, theIssuer().public["ES256"], "a", "ES256"), "{", `{"use":"sig","key_ops":["verify"],"x-note":"July",`, 1)
	keys, err := auth.ParseKeys(keySet(text))
	require.NoError(t, err)
	require.Len(t, keys, 1)
}
