package auth_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/auth"
	"namegate/gateway/registry"
)

func TestNoHeaderIsAnonymous(t *testing.T) {
	t.Parallel()
	caller, err := verifier(t).Authenticate(http.Header{"Accept": {"*/*"}})
	require.NoError(t, err)
	require.Zero(t, caller)
}

func TestTokensOfEachAlgorithm(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	for alg := range theIssuer().public {
		caller, err := authenticate(v, sign(t, alg, alg, with(nil)))
		require.NoError(t, err, alg)
		require.Equal(t, registry.Caller{Role: registry.User, Subject: "user:1"}, caller, alg)
	}
}

// Signed with nothing but the standard library, by RFC 7515, appendix A.1.
func TestATokenOfAnotherMaker(t *testing.T) {
	t.Parallel()
	secret := theIssuer().private["HS256"].([]byte)
	signed := encoded(`{"typ":"at+jwt","alg":"HS256","kid":"HS256"}`) + "." +
		encoded(`{"iss":"issuer","aud":["namegate"],"sub":"sign-up","exp":1.8e9,"scope":"namegate:service","client_id":"x"}`)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(signed))
	caller, err := authenticate(verifier(t), signed+"."+encoded(string(mac.Sum(nil))))
	require.NoError(t, err)
	require.Equal(t, registry.Caller{Role: registry.Service, Subject: "sign-up"}, caller)
}

func TestScopesMakeTheRole(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	for scope, want := range map[string]registry.Caller{
		"":                                {Role: registry.User},
		"openid profile":                  {Role: registry.User},
		"namegate:service":                {Role: registry.Service},
		"openid namegate:service":         {Role: registry.Service},
		"namegate:admin":                  {Role: registry.User, Admin: true},
		"namegate:admin namegate:service": {Role: registry.Service, Admin: true},
		"namegate:services":               {Role: registry.User},
		"Namegate:Service":                {Role: registry.User},
		"namegate:service\tnamegate:x":    {Role: registry.User},
		"namegate:service,namegate:admin": {Role: registry.User},
	} {
		caller, err := authenticate(v, sign(t, "EdDSA", "EdDSA", with(map[string]any{"scope": scope})))
		require.NoError(t, err, scope)
		want.Subject = "user:1"
		require.Equal(t, want, caller, scope)
	}
}

func TestClaims(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	at := func(after time.Duration) int64 { return now.Add(after).Unix() }
	for name, tc := range map[string]struct {
		claims map[string]any
		reason string // "" for a good token
	}{
		"one audience of several":     {map[string]any{"aud": []string{"other", "namegate"}}, ""},
		"another audience":            {map[string]any{"aud": "other"}, "for another audience"},
		"no audience":                 {map[string]any{"aud": nil}, "for another audience"},
		"audiences of numbers":        {map[string]any{"aud": []int{1}}, "not a JWT"},
		"another issuer":              {map[string]any{"iss": "issuer/"}, "by another issuer"},
		"no issuer":                   {map[string]any{"iss": nil}, "by another issuer"},
		"expired within the leeway":   {map[string]any{"exp": at(-30 * time.Second)}, ""},
		"expired":                     {map[string]any{"exp": at(-31 * time.Second)}, "has expired"},
		"no expiry":                   {map[string]any{"exp": nil}, "has no exp"},
		"expiry as text":              {map[string]any{"exp": "tomorrow"}, "not a JWT"},
		"an expiry beyond all clocks": {map[string]any{"exp": 1e30}, "not a JWT"},
		"valid within the leeway":     {map[string]any{"nbf": at(30 * time.Second)}, ""},
		"not yet valid":               {map[string]any{"nbf": at(31 * time.Second)}, "not valid yet"},
		"issued in the future":        {map[string]any{"iat": at(time.Minute)}, "not valid yet"},
		"no subject":                  {map[string]any{"sub": nil}, "has no sub"},
		"an empty subject":            {map[string]any{"sub": ""}, "has no sub"},
		"a subject of 64 characters":  {map[string]any{"sub": strings.Repeat("é", 64)}, ""},
		"a subject of 65 characters":  {map[string]any{"sub": strings.Repeat("é", 65)}, "has no sub"},
		"a subject with a line end":   {map[string]any{"sub": "user:1\n"}, "has no sub"},
		"a subject of bad Unicode":    {map[string]any{"sub": "user:\ufffd"}, "has no sub"},
		"a subject that is a number":  {map[string]any{"sub": 1}, "not a JWT"},
		"scopes as a list":            {map[string]any{"scope": []string{"namegate:service"}}, "not a JWT"},
		"names in other letters":      {map[string]any{"sub": nil, "Sub": "user:1"}, "has no sub"},
	} {
		token := sign(t, "ES256", "ES256", with(tc.claims))
		if tc.reason != "" {
			requireRefused(t, v, token, tc.reason)
			continue
		}
		_, err := authenticate(v, token)
		require.NoError(t, err, name)
	}
}

func TestAVerifierNeedsItsTerms(t *testing.T) {
	t.Parallel()
	for _, opts := range []auth.Options{{Audience: "a", Clock: time.Now}, {Issuer: "i", Clock: time.Now}} {
		_, err := auth.NewVerifier(nil, opts)
		require.ErrorContains(t, err, "must not be empty")
	}
}

func TestWithoutKeysEveryTokenIsRefused(t *testing.T) {
	t.Parallel()
	v, err := auth.NewVerifier(nil, options)
	require.NoError(t, err)
	requireRefused(t, v, sign(t, "EdDSA", "EdDSA", with(nil)), "no key that is known")
}
