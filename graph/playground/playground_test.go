package playground_test

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/graph/playground"
)

func setup(t *testing.T) (get func(path string) (*http.Response, string)) {
	t.Helper()
	handler := playground.Handler("/graphql", "/playground/")
	mux := http.NewServeMux()
	mux.Handle("/playground", handler)
	mux.Handle("/playground/", handler)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return func(path string) (*http.Response, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response, string(body)
	}
}

func TestThePageNamesItsEndpointAndNoForeignHost(t *testing.T) {
	t.Parallel()
	get := setup(t)

	response, html := get("/playground")

	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
	require.Contains(t, html, `data-endpoint="/graphql"`)
	require.NotRegexp(t, `(src|href)="([a-z]+:)?//`, html)
	require.NotContains(t, response.Header.Get("Content-Security-Policy"), "http")
	require.Regexp(t, `script-src 'self';`, response.Header.Get("Content-Security-Policy"))
}

// The vendored files are those that npm publishes, byte for byte.
func TestFilesMatchTheirIntegrity(t *testing.T) {
	t.Parallel()
	get := setup(t)
	_, html := get("/playground")
	assets := regexp.MustCompile(`(?:src|href)="(/[^"]+)"\s+integrity="sha256-([^"]+)"`).FindAllStringSubmatch(html, -1)
	require.Len(t, assets, 4)
	for _, asset := range assets {
		response, content := get(asset[1])
		require.Equal(t, http.StatusOK, response.StatusCode, asset[1])
		sum := sha256.Sum256([]byte(content))
		require.Equal(t, asset[2], base64.StdEncoding.EncodeToString(sum[:]), asset[1])
		require.Contains(t, response.Header.Get("Cache-Control"), "immutable")
		require.Regexp(t, `^text/(javascript|css)`, response.Header.Get("Content-Type"))
		require.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))
	}
}

func TestTheStartScriptIsServed(t *testing.T) {
	t.Parallel()
	get := setup(t)

	response, script := get("/playground/start.js")

	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Contains(t, script, "usernameAvailable")
	require.Equal(t, "no-cache", response.Header.Get("Cache-Control"))
}

func TestNothingElseIsServed(t *testing.T) {
	t.Parallel()
	get := setup(t)
	for _, path := range []string{"/playground/npm", "/playground/npm/", "/playground/page.html", "/playground/nope.js"} {
		response, _ := get(path)
		require.Equal(t, http.StatusNotFound, response.StatusCode, path)
	}
}
