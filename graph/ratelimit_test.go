package graph_test

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/ratelimit"
	"namegate/gateway/registry"
	"namegate/graph"
)

// anHour is a limit that does not run out while a test does.
func anHour(calls int) ratelimit.Limit { return ratelimit.Limit{Calls: calls, Per: time.Hour} }

// limited is a handler with limits, and the limiter.
func limited(t *testing.T, reg *fakeRegistry, rules ratelimit.Rules) (*client, ratelimit.Limiter) {
	t.Helper()
	limiter := limits(rules)
	return setup(t, reg, graph.Options{Limiter: limiter, Authenticator: backEndToken}), limiter
}

var backEndToken = tokens{"service": {Subject: "sign-up", Role: registry.Service}, "user": {Subject: "user:7", Role: registry.User}}

// remaining is what an address has left.
func remaining(t *testing.T, limiter ratelimit.Limiter, address string, bucket ratelimit.Bucket) int {
	t.Helper()
	s, on := limiter.Standing(t.Context(), netip.MustParseAddr(address), bucket)
	require.True(t, on)
	return s.Remaining
}

const here = "192.0.2.1" // of every client of setup

func TestOperationsAreChargedForWhatRuns(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		document string
		cost     int
	}{
		"one check":              {`{ usernameAvailable(name: "ann") { available } }`, 1},
		"aliases":                {`{ a: usernameAvailable(name: "ann") { available } b: usernameAvailable(name: "ann") { available } }`, 2},
		"fields merged":          {`{ usernameAvailable(name: "ann") { available } usernameAvailable(name: "ann") { canonical } }`, 1},
		"fragments":              {`{ ...F ...F ... on Query { b: usernameAvailable(name: "ben") { available } } } fragment F on Query { a: usernameAvailable(name: "ann") { available } }`, 2},
		"skipped":                {`{ a: usernameAvailable(name: "ann") @skip(if: true) { available } b: usernameAvailable(name: "ben") @include(if: false) { available } }`, 0},
		"list items":             {`{ usernamesAvailable(names: ["ann", "ben", "cid"]) { available } }`, 3},
		"a value for a list":     {`{ usernamesAvailable(names: "ann") { available } }`, 1},
		"nothing of it":          {`{ __typename }`, 0},
		"the other operation":    {`query A { __typename } query B { usernameAvailable(name: "ann") { available } }`, 0},
		"how one stands is free": {`{ rateLimits { bucket remaining } }`, 0},
	} {
		c, limiter := limited(t, &fakeRegistry{}, ratelimit.Rules{ratelimit.Check: anHour(10)})
		body, err := json.Marshal(map[string]any{"query": tc.document, "operationName": map[bool]any{true: "A"}[name == "the other operation"]})
		require.NoError(t, err)
		c.post(string(body)).data(t)
		require.Equal(t, 10-tc.cost, remaining(t, limiter, here, ratelimit.Check), name)
	}
}

func TestAnOperationOverALimitIsRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	c, limiter := limited(t, &fakeRegistry{}, ratelimit.Rules{ratelimit.Check: anHour(3)})
	c.ask(`query ($names: [String!]!) { usernamesAvailable(names: $names) { available } }`, "names", []string{"ann", "ben"}).data(t)
	for _, accept := range []string{graphqlJSON, "application/json"} {
		refused := c.post(`{"query": "{ a: usernameAvailable(name: \"ann\") { available } b: usernameAvailable(name: \"ben\") { available } }"}`, "Accept", accept)
		refused.requireRefused(t, http.StatusTooManyRequests, "RATE_LIMITED")
		extensions := refused.decode(t).Errors[0].Extensions
		require.Equal(t, "CHECK", extensions["bucket"])
		wait := extensions["retryAfterMs"].(float64)
		require.InDelta(t, time.Hour.Milliseconds(), wait, 60_000)
		seconds, err := strconv.Atoi(refused.header.Get("Retry-After"))
		require.NoError(t, err)
		require.GreaterOrEqual(t, float64(seconds)*1000, wait)
	}
	require.Equal(t, 1, remaining(t, limiter, here, ratelimit.Check))
	c.ask(`{ usernameAvailable(name: "ann") { available } }`).data(t)
}

func TestWhatNoWaitingWillDoForSaysItsCost(t *testing.T) {
	t.Parallel()
	c, _ := limited(t, &fakeRegistry{}, ratelimit.Rules{ratelimit.Check: anHour(2)})
	refused := c.ask(`{ usernamesAvailable(names: ["ann", "ben", "cid"]) { available } }`)
	refused.requireRefused(t, http.StatusTooManyRequests, "RATE_LIMITED")
	extensions := refused.decode(t).Errors[0].Extensions
	require.Equal(t, map[string]any{"code": "RATE_LIMITED", "bucket": "CHECK", "cost": 3.0, "limit": 2.0}, extensions)
	require.Empty(t, refused.header.Get("Retry-After"))
}

const reserveWith = `mutation ($in: ReserveUsernameInput!) { reserveUsername(input: $in) { __typename } }`

func TestAReserveSentAgainIsNotChargedAgain(t *testing.T) {
	t.Parallel()
	reg := &fakeRegistry{reserve: func(registry.ReserveInput) (registry.Reservation, error) { return registry.Reservation{}, nil }}
	c, limiter := limited(t, reg, ratelimit.Rules{ratelimit.Signup: anHour(10), ratelimit.Refused: anHour(10)})
	in := map[string]any{"name": "ann", "alternatives": []string{"ben", "cid"}, "requestId": "b3d5ab3e-8a31-4a39-a2d3-7d4ac86c0f0e"}
	for range 3 {
		c.ask(reserveWith, "in", in).data(t)
	}
	require.Equal(t, 7, remaining(t, limiter, here, ratelimit.Signup), "a name and two alternatives")
	require.Equal(t, 8, remaining(t, limiter, here, ratelimit.Refused))
	in["name"] = "dan"
	c.ask(reserveWith, "in", in).data(t)
	require.Equal(t, 4, remaining(t, limiter, here, ratelimit.Signup), "its requestId is no licence for another name")
}

func TestRefusedDocumentsHaveALimit(t *testing.T) {
	t.Parallel()
	c, limiter := limited(t, &fakeRegistry{}, ratelimit.Rules{ratelimit.Refused: anHour(2)})
	c.ask(`{ usernameAvailable(name: "ann") { available } }`).data(t)
	c.ask(`{ nothing }`).requireRefused(t, http.StatusBadRequest, "GRAPHQL_VALIDATION_FAILED")
	c.ask(`{`).requireRefused(t, http.StatusBadRequest, "GRAPHQL_PARSE_FAILED")
	require.Equal(t, 0, remaining(t, limiter, here, ratelimit.Refused))
	refused := c.ask(`{ nothing at all }`)
	refused.requireRefused(t, http.StatusTooManyRequests, "RATE_LIMITED")
	require.Equal(t, "REFUSED", refused.decode(t).Errors[0].Extensions["bucket"])
	c.ask(`{ usernameAvailable(name: "ann") { available } }`).data(t) // known from before
}

const oneCheck = `{"query": "{ usernameAvailable(name: \"ann\") { available } }"}`

func TestABackEndPaysOnlyForThePersonItNames(t *testing.T) {
	t.Parallel()
	c, limiter := limited(t, &fakeRegistry{}, ratelimit.Rules{ratelimit.Check: anHour(1)})
	const header = "Namegate-End-User-Address"
	for range 3 {
		c.post(oneCheck, "Authorization", "Bearer service").data(t)
	}
	require.Equal(t, 1, remaining(t, limiter, here, ratelimit.Check))
	c.post(oneCheck, "Authorization", "Bearer service", header, "2001:db8::1").data(t)
	c.post(oneCheck, "Authorization", "Bearer service", header, "2001:db8::2").requireRefused(t, http.StatusTooManyRequests, "RATE_LIMITED")
	c.post(oneCheck, "Authorization", "Bearer service", header, "someone").requireRefused(t, http.StatusBadRequest, "BAD_USER_INPUT")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url, strings.NewReader(oneCheck))
	require.NoError(t, err)
	request.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer service"}, header: {"203.0.113.5", "203.0.113.6"}}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusBadRequest, response.StatusCode, "two of them")
	require.Equal(t, 1, remaining(t, limiter, here, ratelimit.Check))
	// Nobody else's header counts.
	c.post(oneCheck, "Authorization", "Bearer user", header, "203.0.113.5").data(t)
	require.Equal(t, 0, remaining(t, limiter, here, ratelimit.Check))
	c.post(oneCheck, header, "203.0.113.6").requireRefused(t, http.StatusTooManyRequests, "RATE_LIMITED")
}

func TestHowOneStands(t *testing.T) {
	t.Parallel()
	c, _ := limited(t, &fakeRegistry{}, ratelimit.Rules{ratelimit.Check: anHour(5), ratelimit.Refused: anHour(5)})
	c.post(oneCheck).data(t)
	const standings = `{ rateLimits { bucket limit remaining } }`
	one := map[string]any{"bucket": "CHECK", "limit": 5.0, "remaining": 4.0}
	require.Equal(t, map[string]any{"rateLimits": []any{one}}, c.ask(standings).data(t))
	require.Equal(t, map[string]any{"rateLimits": []any{}}, c.askAs("service", standings).data(t))
}

const take = `mutation ($address: String!) { takeRateLimit(input: {bucket: VERIFY, address: $address}) { bucket limit remaining } }`

func TestABackEndTakesALimitForAPerson(t *testing.T) {
	t.Parallel()
	c, _ := limited(t, &fakeRegistry{}, ratelimit.Rules{ratelimit.Verify: anHour(1)})
	left := map[string]any{"bucket": "VERIFY", "limit": 1.0, "remaining": 0.0}
	require.Equal(t, map[string]any{"takeRateLimit": left}, c.askAs("service", take, "address", "203.0.113.5").data(t))
	for token, want := range map[string]struct{ address, code string }{
		"service": {"203.0.113.5", "RATE_LIMITED"}, "user": {"203.0.113.6", "FORBIDDEN"}, "": {"203.0.113.6", "UNAUTHENTICATED"},
	} {
		refused := c.askAs(token, take, "address", want.address)
		require.Equal(t, http.StatusOK, refused.status, refused.body)
		require.Equal(t, want.code, refused.decode(t).Errors[0].Extensions["code"])
	}
	refused := c.askAs("service", take, "address", "someone")
	require.Equal(t, "BAD_USER_INPUT", refused.decode(t).Errors[0].Extensions["code"])
	unlimited, _ := limited(t, &fakeRegistry{}, nil)
	require.Equal(t, map[string]any{"takeRateLimit": nil}, unlimited.askAs("service", take, "address", "203.0.113.5").data(t))
}
