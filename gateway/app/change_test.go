package app_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
	"namegate/gateway/auth"
)

// caller asks a replica as the subject of an access token.
type caller struct {
	t     *testing.T
	r     *app.Replica
	token string
}

// ask gives the data of an answer, which must not have failed.
func (c caller) ask(document string) map[string]any {
	c.t.Helper()
	_, text := queryAs(c.t, c.r, c.token, document)
	var answer struct {
		Data   map[string]any
		Errors []any
	}
	require.NoError(c.t, json.Unmarshal([]byte(text), &answer))
	require.Empty(c.t, answer.Errors, text)
	return answer.Data
}

// callers are an account and a back end of a replica on two databases.
func callers(t *testing.T, change func(*app.Options)) (user, service caller) {
	t.Helper()
	return callersOn(t, []string{shared.Database(t), shared.Database(t)}, change)
}

// callersOn are those of a replica on databases with these DSNs.
func callersOn(t *testing.T, dsns []string, change func(*app.Options)) (user, service caller) {
	t.Helper()
	opts := namedOptions(t, dsns...)
	require.NoError(t, app.Migrate(t.Context(), opts.Databases, opts.Logger))
	opts.Demo, opts.DataDir = true, t.TempDir()
	change(&opts)
	r := start(t, opts)
	as := func(subject, scope string) caller {
		token, err := app.DemoToken(opts.DataDir, opts.JWT, app.Grant{Subject: subject, Scope: scope, TTL: time.Hour})
		require.NoError(t, err)
		return caller{t, r, token}
	}
	return as("user:1", ""), as("shop", auth.ScopeService)
}

func TestTheLifeOfAnAccount(t *testing.T) {
	t.Parallel()
	user, service := callers(t, func(*app.Options) {})
	token := func(field string, data map[string]any) any { return data[field].(map[string]any)["token"] }

	held := service.ask(`mutation { reserveIdentifiers(input: {requestId: "sign-up-1", identifiers: [
		{kind: USERNAME, value: "Ada"}, {kind: EMAIL, value: "ada@example.org"}]}) { ... on ReserveIdentifiersPayload { token } } }`)
	confirm := fmt.Sprintf(`mutation { confirmReservation(input: {requestId: "confirm-1", token: "%v"}) {
		... on ConfirmReservationPayload { holdings { kind display state } } } }`, token("reserveIdentifiers", held))
	first := user.ask(confirm)
	require.Equal(t, map[string]any{"confirmReservation": map[string]any{"holdings": []any{
		map[string]any{"kind": "USERNAME", "display": "Ada", "state": "ACTIVE"},
		map[string]any{"kind": "EMAIL", "display": nil, "state": "ACTIVE"},
	}}}, first)
	require.Equal(t, first, user.ask(confirm), "the same again")
	require.Equal(t, map[string]any{"usernameOwner": "user:1"}, service.ask(`{ usernameOwner(name: "ada") }`))

	require.Equal(t, map[string]any{"renameUsername": map[string]any{
		"holding": map[string]any{"display": "Lace", "state": "ACTIVE"},
		"former":  map[string]any{"display": "Ada", "state": "PROTECTED"},
	}}, user.ask(`mutation { renameUsername(input: {requestId: "rename-1", to: "Lace"}) {
		... on RenameUsernamePayload { holding { display state } former { display state } } } }`))
	require.Equal(t, map[string]any{"usernameRedirect": "Lace"}, user.ask(`{ usernameRedirect(name: "ada") }`))
	require.Equal(t, map[string]any{"renameUsername": map[string]any{"__typename": "UnavailableError"}},
		user.ask(`mutation { renameUsername(input: {requestId: "rename-2", to: "admin"}) { __typename } }`))

	require.Equal(t, map[string]any{"releaseIdentifier": map[string]any{"released": map[string]any{"state": "RELEASED"}}},
		service.ask(`mutation { releaseIdentifier(input: {requestId: "release-1", ownerId: "user:1", kind: EMAIL,
			value: "ada@example.org"}) { ... on ReleaseIdentifierPayload { released { state } } } }`))
	require.Equal(t, map[string]any{"holdings": []any{map[string]any{"canonical": "lace"}}}, user.ask(`{ holdings { canonical } }`))
	require.Equal(t, map[string]any{"releaseAccount": map[string]any{"released": []any{map[string]any{"state": "PROTECTED"}}}},
		service.ask(`mutation { releaseAccount(input: {requestId: "release-2", ownerId: "user:1"}) {
			... on ReleaseAccountPayload { released { state } } } }`))
	require.Equal(t, map[string]any{"usernameRedirect": nil}, user.ask(`{ usernameRedirect(name: "ada") }`))
}

func TestTermsAreObeyed(t *testing.T) {
	t.Parallel()
	_, service := callers(t, func(o *app.Options) {
		o.Terms = app.Terms{Protection: time.Hour, RenameCooldown: time.Hour, OwnerLimits: map[string]int{"email": 0}}
	})
	sign := func(n int, kind, value string) map[string]any {
		held := service.ask(fmt.Sprintf(`mutation { reserveIdentifiers(input: {
			requestId: "reserve-%d", identifiers: [{kind: %s, value: %q}]}) { ... on ReserveIdentifiersPayload { token } } }`, n, kind, value))
		return service.ask(fmt.Sprintf(`mutation { confirmReservation(input: {requestId: "confirm-%d", ownerId: "user:1", token: "%v"}) {
			__typename ... on OwnerLimitError { limit } } }`, n, held["reserveIdentifiers"].(map[string]any)["token"]))
	}
	require.Equal(t, map[string]any{"confirmReservation": map[string]any{"__typename": "ConfirmReservationPayload"}}, sign(1, "USERNAME", "ada"))
	require.Equal(t, map[string]any{"confirmReservation": map[string]any{"__typename": "OwnerLimitError", "limit": 1.0}}, sign(2, "USERNAME", "eve"))
	require.Equal(t, map[string]any{"confirmReservation": map[string]any{"__typename": "OwnerLimitError", "limit": 0.0}}, sign(3, "EMAIL", "a@example.org"))
	require.Equal(t, map[string]any{"confirmReservation": map[string]any{"__typename": "ConfirmReservationPayload"}}, sign(4, "LICENSE", "AB123"))

	rename := func(to string) map[string]any {
		return service.ask(`mutation { renameUsername(input: {requestId: "rename-` + to + `", ownerId: "user:1", to: "` + to + `"}) { __typename } }`)
	}
	require.Equal(t, map[string]any{"renameUsername": map[string]any{"__typename": "RenameUsernamePayload"}}, rename("lace"))
	require.Equal(t, map[string]any{"renameUsername": map[string]any{"__typename": "RenameTooSoonError"}}, rename("love"))
}

func TestABarredNameAmongSeveral(t *testing.T) {
	t.Parallel()
	_, service := callers(t, func(*app.Options) {})
	require.Equal(t, map[string]any{"reserveIdentifiers": map[string]any{"value": "admin", "reason": "NOT_ALLOWED"}},
		service.ask(`mutation { reserveIdentifiers(input: {requestId: "sign-up-1", identifiers: [
			{kind: EMAIL, value: "ada@example.org"}, {kind: USERNAME, value: "admin"}]}) { ... on UnavailableError { value reason } } }`))
}
