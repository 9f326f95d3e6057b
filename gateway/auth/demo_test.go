package auth_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/auth"
	"namegate/gateway/registry"
)

func demo(t *testing.T) *auth.Demo {
	t.Helper()
	d, err := auth.NewDemo(bytes.Repeat([]byte("d"), 32), options)
	require.NoError(t, err)
	return d
}

func TestDemoTokensAreGoodForTheirTime(t *testing.T) {
	t.Parallel()
	d := demo(t)
	for scope, want := range map[string]registry.Caller{
		"":                                 {Role: registry.User, Subject: "Zoë"},
		auth.ScopeService:                  {Role: registry.Service, Subject: "Zoë"},
		" namegate:admin namegate:service": {Role: registry.Service, Subject: "Zoë", Admin: true},
	} {
		token, err := d.Token(auth.Grant{Subject: "Zoë", Scope: scope, TTL: time.Minute})
		require.NoError(t, err)
		for after, good := range map[time.Duration]bool{0: true, 90 * time.Second: true, 91 * time.Second: false} {
			later := options
			later.Clock = func() time.Time { return now.Add(after) }
			v, err := auth.NewVerifier([]auth.Key{d.Key()}, later)
			require.NoError(t, err)
			caller, err := authenticate(v, token)
			if !good {
				require.ErrorContains(t, err, "has expired")
				continue
			}
			require.NoError(t, err)
			require.Equal(t, want, caller)
		}
	}
}

func TestDemoTokensAreForOneGateway(t *testing.T) {
	t.Parallel()
	token, err := demo(t).Token(auth.Grant{Subject: "user:1", TTL: time.Hour})
	require.NoError(t, err)
	requireRefused(t, verifier(t), token, "no key that is known")

	other, err := auth.NewDemo(bytes.Repeat([]byte("e"), 32), options)
	require.NoError(t, err)
	v, err := auth.NewVerifier([]auth.Key{other.Key()}, options)
	require.NoError(t, err)
	requireRefused(t, v, token, "not signed by the key")
}

func TestGrantsThatAreRefused(t *testing.T) {
	t.Parallel()
	for wrong, grant := range map[string]auth.Grant{
		"subject has more than":   {Subject: strings.Repeat("a", 65), TTL: time.Hour},
		"subject is empty":        {TTL: time.Hour},
		`scope "namegate:servic"`: {Subject: "a", Scope: "namegate:admin namegate:servic", TTL: time.Hour},
		"at least a second":       {Subject: "a", TTL: time.Second - 1},
	} {
		token, err := demo(t).Token(grant)
		require.ErrorContains(t, err, wrong)
		require.Empty(t, token)
	}
}

func TestADemoNeedsASecretAndTerms(t *testing.T) {
	t.Parallel()
	_, err := auth.NewDemo(make([]byte, 31), options)
	require.ErrorContains(t, err, "fewer than 32 bytes")
	_, err = auth.NewDemo(make([]byte, 32), auth.Options{Clock: time.Now})
	require.ErrorContains(t, err, "must not be empty")
}
