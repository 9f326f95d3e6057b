package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"namegate/gateway/app"
	"namegate/storage/localpg/pgtest"
	"namegate/storage/postgres"
	"namegate/storage/rediscache/redistest"
)

var shared pgtest.Shared

// tests are those of the package, around which the shared server runs.
type tests struct{ m *testing.M }

func (t tests) Run() int { return shared.Run(t.m) }

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(tests{m}, goleak.IgnoreAnyFunction(redistest.Dialing))
}

// dataDir is a folder that every account can enter, so that the cluster of
// root's tests lies in it and is removed with it.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "namegate-app-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func devOptions(t *testing.T, dir string) app.Options {
	t.Helper()
	return app.Options{
		Databases: app.Databases{DataDir: dir},
		Dev:       true,
		HTTP:      "127.0.0.1:0", Admin: "127.0.0.1:0",
		JWT:            app.JWT{Issuer: "namegate", Audience: "namegate"},
		Terms:          app.Terms{Protection: time.Hour},
		Retention:      app.Retention{Requests: 24 * time.Hour, Audit: 24 * time.Hour},
		ReservationTTL: 15 * time.Minute,
		Introspection:  true,
		Playground:     true,
		Logger:         slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
}

// start starts a replica that is stopped when the test ends.
func start(t *testing.T, opts app.Options) *app.Replica {
	t.Helper()
	r, err := app.New(opts)
	require.NoError(t, err)
	require.NoError(t, r.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, r.Stop(context.Background())) })
	return r
}

// call makes one request without an access token and gives its status and body.
func call(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	return callAs(t, "", method, url, body)
}

// callAs makes one request, with an access token unless that is "", on a
// connection of its own and gives its status and body.
func callAs(t *testing.T, token, method, url, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewBufferString(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	return call(t, http.MethodGet, url, "")
}

// query asks a replica's GraphQL endpoint and gives the whole answer.
func query(t *testing.T, r *app.Replica, document string) string {
	t.Helper()
	_, answer := queryAs(t, r, "", document)
	return answer
}

// queryAs asks it with an access token unless that is "", and gives the status too.
func queryAs(t *testing.T, r *app.Replica, token, document string) (int, string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"query": document})
	require.NoError(t, err)
	return callAs(t, token, http.MethodPost, "http://"+r.HTTPAddr()+"/graphql", string(body))
}

// reserve holds a name under a fixed request id.
func reserve(t *testing.T, r *app.Replica, name string) string {
	t.Helper()
	return reserveBy(t, r, name, "0123456789abcdef0123456789abcdef")
}

// reserveBy holds a name under a request id.
func reserveBy(t *testing.T, r *app.Replica, name, request string) string {
	t.Helper()
	return query(t, r, `mutation { reserveUsername(input: {name: "`+name+`", requestId: "`+request+`"}) {
		... on ReserveUsernamePayload { token reservation { canonical expiresAt since } }
		... on UnavailableError { reason } } }`)
}

func check(t *testing.T, r *app.Replica, name string) string {
	t.Helper()
	return query(t, r, `{ usernameAvailable(name: "`+name+`") { available reason } }`)
}

// namedOptions are those of a replica in production on databases with these DSNs
// and secrets in files of their own.
func namedOptions(t *testing.T, dsns ...string) app.Options {
	t.Helper()
	opts := devOptions(t, "")
	opts.Dev, opts.Introspection, opts.Playground = false, false, false
	for i, dsn := range dsns {
		opts.Named = append(opts.Named, postgres.Database{Name: fmt.Sprintf("db%d", i+1), DSN: dsn})
	}
	opts.IdentifierSecretFile = filepath.Join(t.TempDir(), "secret")
	opts.TokenKeyFile = opts.IdentifierSecretFile
	require.NoError(t, os.WriteFile(opts.TokenKeyFile, bytes.Repeat([]byte{'k'}, 32), 0o600))
	return opts
}
