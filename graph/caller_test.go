package graph_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/graph"
)

// tokens are the access tokens of a test and whose they are.
type tokens map[string]registry.Caller

func (t tokens) Authenticate(header http.Header) (registry.Caller, error) {
	token, ok := strings.CutPrefix(header.Get("Authorization"), "Bearer ")
	if !ok {
		return registry.Caller{}, nil
	}
	caller, ok := t[token]
	if !ok {
		return registry.Caller{}, errors.New("access token has expired")
	}
	return caller, nil
}

var known = tokens{
	"of-user":    {Role: registry.User, Subject: "user:1"},
	"of-service": {Role: registry.Service, Subject: "sign-up"},
}

func TestABadTokenIsNotAnonymous(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{Authenticator: known})
	for _, accept := range []string{graphqlJSON, "application/json", ""} {
		got := c.post(`{"query":"{ __typename }"}`, "Authorization", "Bearer sesame", "Accept", accept)
		got.requireRefused(t, http.StatusUnauthorized, "UNAUTHENTICATED")
		require.Equal(t, `Bearer error="invalid_token"`, got.header.Get("WWW-Authenticate"))
		require.Equal(t, "access token has expired", got.decode(t).Errors[0].Message)
	}
	c.get(`{ __typename }`, "", "Authorization", "Bearer sesame").requireRefused(t, http.StatusUnauthorized, "UNAUTHENTICATED")
	require.Empty(t, c.logs.String())

	c.post(`{"query":"{ __typename }"}`, "Authorization", "Bearer of-user").data(t)
	require.Empty(t, c.ask(`{ __typename }`).header.Get("WWW-Authenticate"))
}

// A field that the caller may not ask for fails alone, and its resolver never runs.
func TestFieldsHaveRoles(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{Authenticator: known})
	for field, codes := range map[string]map[string]string{
		`usernameOwner(name: "ann")`: {"": "UNAUTHENTICATED", "Bearer of-user": "FORBIDDEN"},
		`holdings { canonical }`:     {"": "UNAUTHENTICATED"},
	} {
		for token, code := range codes {
			header := []string{"Authorization", token}
			if token == "" {
				header = nil
			}
			got := c.get(`{ x: `+field+` usernameAvailable(name: "ann") { available } }`, "", header...)
			require.Equal(t, http.StatusOK, got.status)
			response := got.decode(t)
			require.Equal(t, map[string]any{"x": nil, "usernameAvailable": map[string]any{"available": true}}, response.Data)
			require.Len(t, response.Errors, 1)
			require.Equal(t, code, response.Errors[0].Extensions["code"], "%s as %q", field, token)
			require.Equal(t, []any{"x"}, response.Errors[0].Path)
			require.Empty(t, got.header.Get("WWW-Authenticate"))
		}
	}
	require.Empty(t, c.logs.String())
}
