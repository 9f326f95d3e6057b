package auth_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"namegate/gateway/auth"
	"namegate/gateway/registry"
)

// genuine are the claims of a good token, as they are signed.
const genuine = `{"iss":"issuer","aud":"namegate","sub":"user:1","exp":4102444800}`

func TestATokenWithoutSignatureIsRefused(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	body := payload(t, with(nil))
	for _, alg := range []string{"none", "None", "NONE", "nOnE", ""} {
		head := encoded(`{"alg":"` + alg + `","kid":"EdDSA"}`)
		requireRefused(t, v, head+"."+body+".", "accepted algorithm")
		requireRefused(t, v, head+"."+body, "accepted algorithm")
	}
	requireRefused(t, v, encoded(`{"kid":"EdDSA"}`)+"."+body+".", "accepted algorithm")
	for alg := range theIssuer().public {
		requireRefused(t, v, encoded(`{"alg":"`+alg+`","kid":"`+alg+`"}`)+"."+body+".", "not signed by the key")
	}
}

// Who knows a public key could sign with it as if it were a secret.
func TestAPublicKeyIsNoSecret(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	for _, alg := range []string{"EdDSA", "ES256", "RS256"} {
		public := theIssuer().public[alg]
		der, err := x509.MarshalPKIXPublicKey(public)
		require.NoError(t, err)
		secrets := [][]byte{
			der,
			pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}),
			[]byte(jwk(t, public, alg, alg)),
		}
		if raw, ok := public.(ed25519.PublicKey); ok {
			secrets = append(secrets, raw)
		}
		for _, secret := range secrets {
			requireRefused(t, v, signWith(t, jose.HS256, secret, alg, with(nil)), "not signed by the key")
		}
	}
}

func TestAKeyServesOneAlgorithm(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	for alg, other := range map[jose.SignatureAlgorithm]string{jose.PS256: "RS256", jose.RS512: "RS256"} {
		requireRefused(t, v, signWith(t, alg, theIssuer().private[other], other, with(nil)), "accepted algorithm")
	}
	for alg := range theIssuer().public {
		for kid := range theIssuer().public {
			if alg != kid {
				requireRefused(t, v, sign(t, alg, kid, with(nil)), "not signed by the key")
			}
		}
	}
}

func TestTheKidNamesTheKey(t *testing.T) {
	t.Parallel()
	_, former, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	_, latter, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	v := verifierOf(t, jwk(t, former.Public(), "former", "EdDSA"), jwk(t, latter.Public(), "latter", "EdDSA"))
	signed := func(key any, kid string) string {
		return signWith(t, jose.EdDSA, key, kid, with(nil))
	}
	for kid, key := range map[string]any{"former": former, "latter": latter} {
		_, err := authenticate(v, signed(key, kid))
		require.NoError(t, err, "both are good while keys change")
	}
	requireRefused(t, v, signed(former, "latter"), "not signed by the key")
	requireRefused(t, v, signed(former, "unknown"), "no key that is known")
	requireRefused(t, v, signed(former, ""), "no key that is known")
}

// A key that a token brings along is anybody's.
func TestATokenBringsNoKey(t *testing.T) {
	t.Parallel()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	for name, value := range map[jose.HeaderKey]any{
		"jwk": jose.JSONWebKey{Key: own.Public()},
		"jku": "https://evil.example/keys",
	} {
		token := signText(t, jose.ES256, own, map[jose.HeaderKey]any{"kid": "ES256", name: value}, genuine)
		requireRefused(t, verifier(t), token, "not signed by the key")
		token = signText(t, jose.ES256, own, map[jose.HeaderKey]any{name: value}, genuine)
		requireRefused(t, verifier(t), token, "no key that is known")
	}
}

// Of a member that stands twice one reader may take the first and another the last.
func TestMembersStandOnce(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	sign := func(text string) string {
		return signText(t, jose.HS256, theIssuer().private["HS256"], map[jose.HeaderKey]any{"kid": "HS256"}, text)
	}
	token := sign(genuine)
	_, err := authenticate(v, token)
	require.NoError(t, err)
	requireRefused(t, v, sign(strings.Replace(genuine, `"sub"`, `"sub":"user:2","sub"`, 1)), "not a JWT")
	twoKids := encoded(`{"alg":"HS256","kid":"EdDSA","kid":"HS256"}`)
	requireRefused(t, v, twoKids+token[strings.Index(token, "."):], "not a JWT")
}

func TestEveryPartIsSigned(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	for alg := range theIssuer().public {
		token := sign(t, alg, alg, with(nil))
		parts := strings.Split(token, ".")
		service := payload(t, with(map[string]any{"scope": auth.ScopeService}))
		requireRefused(t, v, parts[0]+"."+service+"."+parts[2], "not signed by the key")
		longer := encoded(`{"alg":"` + alg + `","kid":"` + alg + `","x":1}`)
		requireRefused(t, v, longer+"."+parts[1]+"."+parts[2], "not signed by the key")
		requireRefused(t, v, parts[0]+"."+parts[1]+"."+parts[2][:20], "not signed by the key")
	}
}

// A header marked as critical must be understood (RFC 7515, section 4.1.11).
func TestUnknownCriticalHeadersAreRefused(t *testing.T) {
	t.Parallel()
	header := map[jose.HeaderKey]any{"kid": "HS256", "crit": []string{"only-for"}, "only-for": "10.0.0.1"}
	token := signText(t, jose.HS256, theIssuer().private["HS256"], header, genuine)
	requireRefused(t, verifier(t), token, "not a JWT")
}

func TestWhatIsNoTokenIsRefused(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	good := sign(t, "EdDSA", "EdDSA", with(nil))
	for _, token := range []string{
		"", " ", ".", "..", "...", "a.b.c", good + ".", good + ".x", good + ", " + good, "é.é.é",
		encoded("null") + "." + encoded("null") + ".", encoded(`{"alg":["EdDSA"]}`) + ".e30.", strings.Repeat(".", 8000),
	} {
		requireRefused(t, v, token, "not a JWT")
	}
	requireRefused(t, v, good+strings.Repeat("A", 8<<10), "longer than 8192 bytes")
}

func TestTheHeaderHasOneForm(t *testing.T) {
	t.Parallel()
	v := verifier(t)
	good := sign(t, "EdDSA", "EdDSA", with(nil))
	for _, values := range [][]string{
		{""},
		{"Bearer"},
		{good},
		{"Basic dXNlcjpwYXNz"},
		{"Bearer:" + good},
		{"Bearer\t" + good},
		{"Bearer " + good, "Bearer " + good},
		{"Bearer " + good, ""},
	} {
		caller, err := v.Authenticate(http.Header{"Authorization": values})
		require.Error(t, err, "%q", values)
		require.Zero(t, caller)
	}
	for _, value := range []string{"bearer " + good, "BEARER   " + good} {
		caller, err := v.Authenticate(http.Header{"Authorization": {value}})
		require.NoError(t, err)
		require.Equal(t, registry.User, caller.Role)
	}
}

func FuzzAuthenticate(f *testing.F) {
	v := verifier(f)
	for alg := range theIssuer().public {
		f.Add("Bearer " + sign(f, alg, alg, with(nil)))
	}
	f.Add("Bearer " + encoded(`{"alg":"none","kid":"HS256"}`) + "." + payload(f, with(map[string]any{"sub": "root"})) + ".")
	f.Fuzz(func(t *testing.T, value string) {
		caller, err := v.Authenticate(http.Header{"Authorization": {value}})
		if err == nil {
			require.Equal(t, registry.Caller{Role: registry.User, Subject: "user:1"}, caller, "nobody signed another one")
			return
		}
		require.Zero(t, caller)
	})
}
