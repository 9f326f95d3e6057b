package graph_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/graph"
	"namegate/storage/identifier"
)

// suggesting is a registry in which every name is taken but those that it suggests.
func suggesting(asked *[]string) *fakeRegistry {
	return &fakeRegistry{
		check: func(_ context.Context, name string) (registry.Availability, error) {
			a := free(name)
			if name != "free" {
				a.Available, a.Reason = false, registry.Taken
			}
			return a, nil
		},
		reserve: func(in registry.ReserveInput) (registry.Reservation, error) {
			return registry.Reservation{}, &registry.UnavailableError{Kind: identifier.Username, Value: in.Name, Reason: registry.Taken}
		},
		reserveAll: func(registry.ReserveAllInput) (registry.Reservations, error) {
			return registry.Reservations{}, &registry.UnavailableError{Kind: identifier.Email, Value: "ann@example.com", Reason: registry.Taken}
		},
		suggest: func(wanted string, n int) []string {
			*asked = append(*asked, fmt.Sprint(wanted, " ", n))
			return []string{"the.ann", "ann7"}[:min(n, 2)]
		},
	}
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	var asked []string
	c := setup(t, suggesting(&asked), graph.Options{})
	c.ask(`{ usernameAvailable(name: "Ann") { available } }`).requireData(t, `{"data":{"usernameAvailable":{"available":false}}}`)
	require.Empty(t, asked, "nobody wanted any")
	c.ask(`{ usernameAvailable(name: "Ann") { suggestions } }`).requireData(t, `{"data":{"usernameAvailable":{"suggestions":["the.ann","ann7"]}}}`)
	c.ask(`{ usernameAvailable(name: "Ann") { suggestions(first: 1) } }`).requireData(t, `{"data":{"usernameAvailable":{"suggestions":["the.ann"]}}}`)
	c.ask(`{ usernameAvailable(name: "Ann") { suggestions(first: 0) } }`).requireData(t, `{"data":{"usernameAvailable":{"suggestions":[]}}}`)
	c.ask(`{ usernameAvailable(name: "free") { suggestions } }`).requireData(t, `{"data":{"usernameAvailable":{"suggestions":[]}}}`)
	c.ask(`mutation { reserveUsername(input: {name: "Ann", requestId: "0123456789abcdef0123456789abcdef"}) { ... on UnavailableError { suggestions } } }`).requireData(t, `{"data":{"reserveUsername":{"suggestions":["the.ann","ann7"]}}}`)
	require.Equal(t, []string{"Ann 3", "Ann 1", "Ann 3"}, asked)
}

// How many is a number of the document or of a variable, and nothing else.
func TestHowManySuggestions(t *testing.T) {
	t.Parallel()
	var asked []string
	c := setup(t, suggesting(&asked), graph.Options{})
	const (
		checks   = `query($n: Int!) { usernameAvailable(name: "Ann") { suggestions(first: $n) } }`
		reserves = `mutation($n: Int!) { reserveUsername(input: {name: "Ann", requestId: "0123456789abcdef0123456789abcdef"}) {
			... on UnavailableError { suggestions(first: $n) } } }`
	)
	c.ask(checks, "n", 1).requireData(t, `{"data":{"usernameAvailable":{"suggestions":["the.ann"]}}}`)
	c.ask(reserves, "n", 1).requireData(t, `{"data":{"reserveUsername":{"suggestions":["the.ann"]}}}`)
	for _, bad := range []any{1.5, "1", true, nil, 3e9, []int{1, 2}, map[string]int{"n": 1}} {
		for _, document := range []string{checks, reserves} {
			got := c.ask(document, "n", bad).decode(t)
			require.NotEmpty(t, got.Errors, bad)
			require.NotEqual(t, "INTERNAL", got.Errors[0].Extensions["code"], bad)
		}
	}
	for _, bad := range []string{"3000000000", "1.5", `"1"`, "true", "null", "99999999999999999999"} {
		got := c.ask(`{ usernameAvailable(name: "Ann") { suggestions(first: ` + bad + `) } }`).decode(t)
		require.NotEmpty(t, got.Errors, bad)
		require.NotEqual(t, "INTERNAL", got.Errors[0].Extensions["code"], bad)
	}
	require.Len(t, asked, 2)
}

// What somebody's mail address is like is nothing to make usernames of.
func TestNothingIsSuggestedForPrivateKinds(t *testing.T) {
	t.Parallel()
	var asked []string
	c := setup(t, suggesting(&asked), graph.Options{Authenticator: known})
	c.askAs("of-service", `mutation { reserveIdentifiers(input: {identifiers: [{kind: EMAIL, value: "ann@example.com"}], requestId: "0123456789abcdef"}) {
		... on UnavailableError { suggestions } } }`).requireData(t, `{"data":{"reserveIdentifiers":{"suggestions":[]}}}`)
	require.Empty(t, asked)
}

func TestTooManySuggestionsAreRefused(t *testing.T) {
	t.Parallel()
	var asked []string
	c := setup(t, suggesting(&asked), graph.Options{})
	for _, first := range []int{-1, 6} {
		answer := c.ask(fmt.Sprintf(`{ usernameAvailable(name: "Ann") { suggestions(first: %d) } }`, first))
		require.Contains(t, answer.body, `"code":"BAD_USER_INPUT"`)
	}
	require.Empty(t, asked)
}

// requireData demands a body, and nothing else.
func (a answer) requireData(t *testing.T, body string) {
	t.Helper()
	require.JSONEq(t, body, a.body)
}
