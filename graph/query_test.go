package graph_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/graph"
	"namegate/storage"
	"namegate/storage/identifier"
)

const checkDocument = `query ($name: String!) { usernameAvailable(name: $name) {
	requested canonical available reason violations { rule message position } decidedBy asOf } }`

func TestAFreeName(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})

	got := c.ask(checkDocument, "name", "ann").data(t)

	require.Equal(t, map[string]any{"usernameAvailable": map[string]any{
		"requested": "ann", "canonical": "ann", "available": true, "reason": nil,
		"violations": []any{}, "decidedBy": "DATABASE", "asOf": "2026-03-04T04:06:07.890123Z",
	}}, got)
}

func TestANameThatCannotBeHad(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{check: func(_ context.Context, name string) (registry.Availability, error) {
		return registry.Availability{
			Requested: name, Reason: registry.InvalidForm, DecidedBy: registry.LayerPolicy, AsOf: asOf,
			Violations: []identifier.Violation{
				{Rule: identifier.TooShort, Message: "too short", Position: identifier.NoPosition},
				{Rule: identifier.InvalidStart, Message: "bad start", Position: 0},
			},
		}, nil
	}}, graph.Options{})

	got := c.ask(checkDocument, "name", ".").data(t)["usernameAvailable"].(map[string]any)

	require.Equal(t, false, got["available"])
	require.Equal(t, "INVALID", got["reason"])
	require.Nil(t, got["canonical"])
	require.Equal(t, "POLICY", got["decidedBy"])
	require.Equal(t, []any{
		map[string]any{"rule": "TOO_SHORT", "message": "too short", "position": nil},
		map[string]any{"rule": "INVALID_START", "message": "bad start", "position": 0.0},
	}, got["violations"])
}

func TestOneFailedNameLeavesTheOthers(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{check: func(_ context.Context, name string) (registry.Availability, error) {
		if name == "bob" {
			return registry.Availability{}, &storage.OverloadedError{}
		}
		return free(name), nil
	}}, graph.Options{})

	got := c.ask(`query ($n: [String!]!) { many: usernamesAvailable(names: $n) { requested } }`,
		"n", []string{"ann", "bob", "eve"})

	require.Equal(t, http.StatusOK, got.status)
	response := got.decode(t)
	require.Equal(t, []any{map[string]any{"requested": "ann"}, nil, map[string]any{"requested": "eve"}}, response.Data["many"])
	require.Len(t, response.Errors, 1)
	require.Equal(t, []any{"many", 1.0}, response.Errors[0].Path)
	require.Equal(t, "OVERLOADED", response.Errors[0].Extensions["code"])
	require.Len(t, response.Errors[0].Locations, 1)
}

func TestEachFailedNameHasItsOwnError(t *testing.T) {
	t.Parallel()
	c := setup(t, failing(&storage.OverloadedError{}), graph.Options{})

	got := c.ask(`query ($n: [String!]!) { usernamesAvailable(names: $n) { requested } }`, "n", make([]string, 20)).decode(t)

	require.Len(t, got.Data["usernamesAvailable"], 20)
	require.Len(t, got.Errors, 20)
}

func TestOneFailedAliasLeavesTheOthers(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{check: func(_ context.Context, name string) (registry.Availability, error) {
		if name == "bob" {
			return registry.Availability{}, errors.New("boom")
		}
		return free(name), nil
	}}, graph.Options{})

	response := c.ask(`{ a: usernameAvailable(name: "ann") { available } b: usernameAvailable(name: "bob") { available } }`).decode(t)

	require.Equal(t, map[string]any{"a": map[string]any{"available": true}, "b": nil}, response.Data)
	require.Len(t, response.Errors, 1)
	require.Equal(t, []any{"b"}, response.Errors[0].Path)
}

func TestReservation(t *testing.T) {
	t.Parallel()
	held := map[string][]storage.Holding{"one": {reserved("Ann.B", "ann.b")}, "nothing left": nil}
	c := setup(t, &fakeRegistry{reservation: func(token string) ([]storage.Holding, error) {
		if holdings, ok := held[token]; ok {
			return holdings, nil
		}
		return nil, registry.ErrReservationNotFound
	}}, graph.Options{})

	got := c.ask(`{
		one: reservation(token: "one") { kind display canonical state expiresAt since }
		none: reservation(token: "nothing left") { kind }
		unknown: reservation(token: "unknown") { kind } }`).data(t)

	require.Equal(t, map[string]any{
		"one": []any{map[string]any{
			"kind": "USERNAME", "display": "Ann.B", "canonical": "ann.b", "state": "RESERVED",
			"expiresAt": "2026-03-04T04:21:07.890123Z", "since": "2026-03-04T04:06:07.890123Z",
		}},
		"none": []any{}, "unknown": nil,
	}, got)
}

func TestAPrivateHolding(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{reservation: func(string) ([]storage.Holding, error) {
		return []storage.Holding{ownedEmail()}, nil
	}}, graph.Options{})

	got := c.ask(`{ reservation(token: "t") { kind display canonical state expiresAt } }`)

	require.Equal(t, []any{map[string]any{
		"kind": "EMAIL", "display": nil, "canonical": nil, "state": "ACTIVE", "expiresAt": nil,
	}}, got.data(t)["reservation"])
	require.NotContains(t, got.body, "secret")
}
