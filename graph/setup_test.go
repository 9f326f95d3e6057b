package graph_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/ratelimit"
	"namegate/graph"
)

const graphqlJSON = "application/graphql-response+json"

// client talks to a handler over real HTTP.
type client struct {
	t    *testing.T
	url  string
	logs *logBuffer
}

// setup serves reg, to nobody but anonymous callers unless the test says so.
// Options but the logger are the test's.
func setup(t *testing.T, reg graph.Registry, opts graph.Options) *client {
	t.Helper()
	logs := new(logBuffer)
	opts.Logger = slog.New(slog.NewJSONHandler(logs, nil))
	if opts.Authenticator == nil {
		opts.Authenticator = tokens{}
	}
	if opts.Limiter == nil {
		opts.Limiter = limits(nil)
	}
	if opts.ClientAddress == nil {
		opts.ClientAddress = func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.1") }
	}
	server := httptest.NewServer(graph.NewHandler(reg, opts))
	t.Cleanup(server.Close)
	return &client{t: t, url: server.URL + "/graphql", logs: logs}
}

// limits are those of rules, without any for neighbourhoods.
func limits(rules ratelimit.Rules) ratelimit.Limiter {
	return ratelimit.NewMemory(ratelimit.Options{Rules: rules, Memory: 1 << 20, Clock: time.Now})
}

// answer is one HTTP response.
type answer struct {
	status int
	header http.Header
	body   string
}

func (c *client) do(method, url string, body io.Reader, header ...string) answer {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, url, body)
	require.NoError(c.t, err)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(c.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	return answer{response.StatusCode, response.Header, string(text)}
}

// post sends a raw body as a JSON request; header pairs override.
func (c *client) post(body string, header ...string) answer {
	c.t.Helper()
	header = append([]string{"Content-Type", "application/json", "Accept", graphqlJSON}, header...)
	return c.do(http.MethodPost, c.url, strings.NewReader(body), header...)
}

// ask posts a document with variables in pairs.
func (c *client) ask(document string, variables ...any) answer {
	c.t.Helper()
	return c.askAs("", document, variables...)
}

// askAs is ask with an access token, "" for none.
func (c *client) askAs(token, document string, variables ...any) answer {
	c.t.Helper()
	values := map[string]any{}
	for i := 0; i < len(variables); i += 2 {
		values[variables[i].(string)] = variables[i+1]
	}
	body, err := json.Marshal(map[string]any{"query": document, "variables": values})
	require.NoError(c.t, err)
	if token == "" {
		return c.post(string(body))
	}
	return c.post(string(body), "Authorization", "Bearer "+token)
}

// data decodes what a successful response holds.
func (a answer) data(t *testing.T) map[string]any {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, a.body)
	response := a.decode(t)
	require.Empty(t, response.Errors, a.body)
	return response.Data
}

// response is the body of an answer.
type response struct {
	Data   map[string]any
	Errors []struct {
		Message    string
		Path       []any
		Locations  []any
		Extensions map[string]any
	}
}

func (a answer) decode(t *testing.T) response {
	t.Helper()
	var r response
	require.NoError(t, json.Unmarshal([]byte(a.body), &r), a.body)
	return r
}

// requireRefused demands one error with a code, and no data.
func (a answer) requireRefused(t *testing.T, status int, code string) {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	require.NotContains(t, a.body, `"data"`)
	errs := a.decode(t).Errors
	require.NotEmpty(t, errs)
	require.NotEmpty(t, errs[0].Message)
	require.Equal(t, code, errs[0].Extensions["code"], a.body)
}

// logBuffer collects log lines of concurrent requests.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
