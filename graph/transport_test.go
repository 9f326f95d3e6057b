package graph_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/graph"
	"namegate/storage"
)

func TestResponsesAreNeitherCachedNorSniffed(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})
	for name, got := range map[string]answer{
		"answer":  c.ask(`{ __typename }`),
		"refusal": c.post(`nonsense`),
		"error":   c.ask(`{ nope }`),
	} {
		require.Equal(t, "no-store", got.header.Get("Cache-Control"), name)
		require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"), name)
		require.Equal(t, "Accept", got.header.Get("Vary"), name)
		require.Equal(t, graphqlJSON+"; charset=utf-8", got.header.Get("Content-Type"), name)
		require.Equal(t, fmt.Sprint(len(got.body)), got.header.Get("Content-Length"), name)
	}
}

func TestAcceptPicksTheMediaType(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})
	const json = "application/json"
	for accept, want := range map[string]string{
		"":                                      json,
		"*/*":                                   json,
		"application/*":                         json,
		json:                                    json,
		graphqlJSON:                             graphqlJSON,
		"Application/JSON":                      json,
		graphqlJSON + "," + json:                graphqlJSON,
		json + "," + graphqlJSON:                graphqlJSON,
		graphqlJSON + ",application/json;q=0.9": graphqlJSON,
		"application/graphql-response+json;q=0.3,*/*":     json,
		"application/json; q=0.1, " + graphqlJSON:         graphqlJSON,
		"application/json;q=0, */*":                       graphqlJSON,
		"application/graphql-response+json;q=0,*/*":       json,
		"*/*, application/json;charset=utf-8;q=0.5":       graphqlJSON,
		"text/html,application/xhtml+xml,*/*;q=0.8":       json,
		graphqlJSON + ", " + json + ", text/event-stream": graphqlJSON,
	} {
		got := c.post(`{"query":"{ __typename }"}`, "Accept", accept)
		require.Equal(t, http.StatusOK, got.status, accept)
		require.Equal(t, want+"; charset=utf-8", got.header.Get("Content-Type"), accept)
	}
	for _, accept := range []string{"image/png", "text/html", "*/*;q=0", "application/json;q=x", "text/event-stream"} {
		c.post(`{"query":"{ __typename }"}`, "Accept", accept).requireRefused(t, http.StatusNotAcceptable, "BAD_USER_INPUT")
	}
}

func TestRequestErrorsByMediaType(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})
	for body, code := range map[string]string{
		`{"query":"{"}`:        "GRAPHQL_PARSE_FAILED",
		`{"query":"{ nope }"}`: "GRAPHQL_VALIDATION_FAILED",
		`{"query":"query A { __typename }","operationName":"B"}`:                                            "GRAPHQL_VALIDATION_FAILED",
		`{"query":"query ($n: String!) { usernameAvailable(name: $n) { available } }"}`:                     "GRAPHQL_VALIDATION_FAILED",
		`{"query":"query ($n: String!) { usernameAvailable(name: $n) { available } }","variables":{"n":1}}`: "GRAPHQL_VALIDATION_FAILED",
		`{"query":"subscription { __typename }"}`:                                                           "GRAPHQL_VALIDATION_FAILED",
		`{"query":"{ ... @defer { __typename } }"}`:                                                         "GRAPHQL_VALIDATION_FAILED",
	} {
		c.post(body).requireRefused(t, http.StatusBadRequest, code)
		c.post(body, "Accept", "application/json").requireRefused(t, http.StatusOK, code)
	}
}

func TestRequestsThatAreNoOperation(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})
	for _, body := range []string{
		"", "{", "null", "[]", `"x7"`, `[{"query":"{ __typename }"}]`, `{"qeury":"{ __typename }"}`, `{"query":7}`, `{"query":""}`,
		`{"query":"{ __typename }"} x7`, `{"query":"{ __typename }"}{}`, `{"query":"{ __typename }","variables":["x7"]}`,
		`{"query":"{ __typename }","operationName":{}}`, `{"query":"{ __typename }","extensions":"x7"}`, `{"query": "<script>x7</script>`,
	} {
		for _, accept := range []string{graphqlJSON, "application/json"} {
			got := c.post(body, "Accept", accept)
			got.requireRefused(t, http.StatusBadRequest, "BAD_USER_INPUT")
			require.NotContains(t, got.body, "x7")
		}
	}
}

func TestContentTypeMustBeJSON(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})
	const body = `{"query":"{ __typename }"}`
	for _, contentType := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=latin1", "application/json,", "application/graphql"} {
		c.post(body, "Content-Type", contentType).requireRefused(t, http.StatusUnsupportedMediaType, "BAD_USER_INPUT")
	}
	for _, contentType := range []string{"application/json; charset=UTF-8", `Application/JSON;charset="utf-8"`} {
		require.Equal(t, http.StatusOK, c.post(body, "Content-Type", contentType).status)
	}
}

func TestOtherMethodsAreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodOptions, "BREW"} {
		got := c.do(method, c.url, strings.NewReader(`{"query":"{ __typename }"}`), "Content-Type", "application/json")
		got.requireRefused(t, http.StatusMethodNotAllowed, "BAD_USER_INPUT")
		require.Equal(t, "GET, POST", got.header.Get("Allow"))
	}
}

// get sends an operation in a URL.
func (c *client) get(document, variables string, header ...string) answer {
	c.t.Helper()
	values := url.Values{"query": {document}}
	if variables != "" {
		values.Set("variables", variables)
	}
	return c.do(http.MethodGet, c.url+"?"+values.Encode(), nil, append([]string{"Accept", graphqlJSON}, header...)...)
}

func TestQueriesByGET(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})

	got := c.get(`query ($n: String!) { usernameAvailable(name: $n) { requested } }`, `{"n":"ann"}`).data(t)

	require.Equal(t, map[string]any{"requested": "ann"}, got["usernameAvailable"])
	for _, bad := range []string{"", "?query=", "?query=%zz", "?query={__typename}&variables=[]", "?query={__typename}&extensions=7"} {
		c.do(http.MethodGet, c.url+bad, nil).requireRefused(t, http.StatusBadRequest, "BAD_USER_INPUT")
	}
}

func TestOnlyPlainQueriesByGET(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{reservation: func(string) ([]storage.Holding, error) {
		t.Error("a secret was read from a URL")
		return nil, nil
	}}, graph.Options{})
	for _, document := range []string{
		`mutation { __typename }`,
		`{ reservation(token: "t") { kind } }`,
		`{ a: __typename ...F } fragment F on Query { ... { b: reservation(token: "t") { kind } } }`,
	} {
		for _, accept := range []string{graphqlJSON, "application/json"} {
			got := c.get(document, "", "Accept", accept)
			got.requireRefused(t, http.StatusMethodNotAllowed, "BAD_USER_INPUT")
			require.Equal(t, "POST", got.header.Get("Allow"))
		}
	}
}

func TestForeignPagesAreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t, &fakeRegistry{}, graph.Options{})
	for _, header := range [][]string{
		{"Sec-Fetch-Mode", "no-cors"},
		{"Sec-Fetch-Mode", "navigate"},
		{"Sec-Fetch-Mode", "websocket"},
		{"Sec-Fetch-Mode", "cors", "Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Mode", "cors", "Sec-Fetch-Site", "same-site"},
	} {
		c.get(`{ __typename }`, "", header...).requireRefused(t, http.StatusForbidden, "FORBIDDEN")
	}
	for _, header := range [][]string{{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", "cross-site"}} {
		c.post(`{"query":"{ __typename }"}`, header...).requireRefused(t, http.StatusForbidden, "FORBIDDEN")
	}
	own := []string{"Sec-Fetch-Mode", "cors", "Sec-Fetch-Site", "same-origin"}
	c.get(`{ __typename }`, "", own...).data(t)
	c.post(`{"query":"{ __typename }"}`, append(own, "Origin", strings.TrimSuffix(c.url, "/graphql"))...).data(t)
}
