package web_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/web"
)

func get(t *testing.T, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	web.Handler().ServeHTTP(w, r)
	return w
}

func TestThePageIsClosedToForeignCode(t *testing.T) {
	t.Parallel()
	w := get(t, "/")
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
	policy := w.Header().Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'")
	require.Contains(t, policy, "script-src 'self';")
	require.Contains(t, policy, "frame-ancestors 'none'")
	require.NotContains(t, policy, "unsafe")
	require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
	require.Equal(t, "no-referrer", w.Header().Get("Referrer-Policy"))
}

// The policy forbids inline code; the browser would drop it without a word.
func TestThePageHasNothingInlineAndNothingForeign(t *testing.T) {
	t.Parallel()
	page := get(t, "/").Body.String()
	require.NotRegexp(t, `(?i)\s(on\w+|style)=`, page)
	require.NotRegexp(t, `(?i)<style|<script[^>]*>[^<]`, page)
	require.NotRegexp(t, `(?i)(src|href)="(https?:)?//`, page)
}

func TestEveryFileThatIsAskedForIsThere(t *testing.T) {
	t.Parallel()
	types := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
	reference := regexp.MustCompile(`(?:"/assets/|from "\./)([\w-]+(\.\w+))"`)
	seen := map[string]bool{}
	queue := []string{"/"}
	for len(queue) > 0 {
		body := get(t, queue[0]).Body.String()
		queue = queue[1:]
		for _, found := range reference.FindAllStringSubmatch(body, -1) {
			path := "/assets/" + found[1]
			if seen[path] {
				continue
			}
			seen[path] = true
			w := get(t, path)
			require.Equal(t, http.StatusOK, w.Code, path)
			require.Equal(t, types[found[2]], w.Header().Get("Content-Type"), path)
			require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
			queue = append(queue, path)
		}
	}
	require.Len(t, seen, 12, "style, icon and ten scripts")
}

func TestAnUnchangedFileIsNotSentAgain(t *testing.T) {
	t.Parallel()
	first := get(t, "/assets/page.js")
	require.Equal(t, "no-cache", first.Header().Get("Cache-Control"))
	again := get(t, "/assets/page.js", "If-None-Match", first.Header().Get("ETag"))
	require.Equal(t, http.StatusNotModified, again.Code)
	require.Empty(t, again.Body.String())
}

func TestUnknownPathsAreNotFound(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/x", "/assets/", "/assets/none.js", "/assets/../web.go", "/index.html"} {
		w := get(t, path)
		require.GreaterOrEqual(t, w.Code, 300, path)
		require.NotEqual(t, http.StatusNotModified, w.Code, path)
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
	}
}
