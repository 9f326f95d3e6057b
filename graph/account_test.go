package graph_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/graph"
	"namegate/storage"
	"namegate/storage/identifier"
)

func TestHoldings(t *testing.T) {
	t.Parallel()
	var caller registry.Caller
	var owner *string
	var kind *identifier.Kind
	c := setup(t, &fakeRegistry{
		holdings: func(who registry.Caller, of *string, only *identifier.Kind) ([]storage.Holding, error) {
			caller, owner, kind = who, of, only
			return []storage.Holding{owned("Ann", "ann"), ownedEmail()}, nil
		},
	}, graph.Options{Authenticator: known})

	got := c.askAs("of-user", `{ holdings { kind display canonical state expiresAt since } }`)

	require.Equal(t, []any{
		map[string]any{
			"kind": "USERNAME", "display": "Ann", "canonical": "ann", "state": "ACTIVE", "expiresAt": nil,
			"since": "2026-03-04T04:06:07.890123Z",
		},
		map[string]any{
			"kind": "EMAIL", "display": nil, "canonical": nil, "state": "ACTIVE", "expiresAt": nil,
			"since": "2026-03-04T04:06:07.890123Z",
		},
	}, got.data(t)["holdings"])
	require.NotContains(t, got.body, "secret")
	require.Equal(t, known["of-user"], caller)
	require.Nil(t, owner)
	require.Nil(t, kind)

	c.askAs("of-service", `{ holdings(ownerId: "user:1", kind: PHONE) { kind } }`).data(t)
	require.Equal(t, known["of-service"], caller)
	require.Equal(t, "user:1", *owner)
	require.Equal(t, identifier.Phone, *kind)
}

func TestAnAccountOfAnother(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{
		holdings: func(registry.Caller, *string, *identifier.Kind) ([]storage.Holding, error) {
			return nil, registry.ErrForbidden
		},
	}, graph.Options{Authenticator: known})

	got := c.askAs("of-user", `{ holdings(ownerId: "user:2") { kind } }`)

	require.Equal(t, http.StatusOK, got.status)
	response := got.decode(t)
	require.Equal(t, map[string]any{"holdings": nil}, response.Data)
	require.Equal(t, "FORBIDDEN", response.Errors[0].Extensions["code"])
}

// Integers are IDs, too; anything else, null for one, is none.
func TestIDs(t *testing.T) {
	t.Parallel()
	var owner *string
	c := setup(t, &fakeRegistry{
		holdings: func(_ registry.Caller, of *string, _ *identifier.Kind) ([]storage.Holding, error) {
			owner = of
			return nil, nil
		},
		releaseAll: func(registry.Request) ([]storage.Holding, error) {
			return nil, errors.New("called")
		},
	}, graph.Options{Authenticator: known})
	const document = `query ($id: ID) { holdings(ownerId: $id) { kind } }`
	for id, want := range map[any]string{"": "", "42": "42", 42: "42", -1: "-1", "ü": "ü"} {
		c.askAs("of-service", document, "id", id).data(t)
		require.Equal(t, want, *owner)
	}
	c.askAs("of-service", `{ holdings(ownerId: 42) { kind } }`).data(t)
	require.Equal(t, "42", *owner)
	c.askAs("of-service", document, "id", nil).data(t)
	require.Nil(t, owner)
	for _, bad := range []any{4.5, true, []string{"a"}, map[string]any{}, 1e300} {
		require.NotEmpty(t, c.askAs("of-service", document, "id", bad).decode(t).Errors, bad)
	}

	null := c.askAs("of-service", `mutation ($id: ID = "x") {
		releaseAccount(input: {ownerId: $id, requestId: "r"}) { __typename } }`, "id", nil).decode(t)
	require.Equal(t, "BAD_USER_INPUT", null.Errors[0].Extensions["code"])
}

func TestOwnersOfNames(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{owner: func(name string) (string, error) {
		return map[string]string{"ann": "user:1"}[name], nil
	}}, graph.Options{Authenticator: known})

	got := c.askAs("of-service", `{ a: usernameOwner(name: "ann") b: usernameOwner(name: "bob") }`).data(t)

	require.Equal(t, map[string]any{"a": "user:1", "b": nil}, got)
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{redirect: func(name string) (string, error) {
		if name == "away" {
			return "", &storage.OverloadedError{}
		}
		return map[string]string{"former": "Ann"}[name], nil
	}}, graph.Options{})

	got := c.ask(`{ a: usernameRedirect(name: "former") b: usernameRedirect(name: "bob") }`).data(t)
	require.Equal(t, map[string]any{"a": "Ann", "b": nil}, got)

	failed := c.ask(`{ usernameRedirect(name: "away") }`).decode(t)
	require.Equal(t, "OVERLOADED", failed.Errors[0].Extensions["code"])
}
