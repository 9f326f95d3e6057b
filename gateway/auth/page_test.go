package auth_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/auth"
	"namegate/gateway/registry"
)

// askDemo sends a request as the sign-up page does; header pairs override, Host too.
func askDemo(t *testing.T, method, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:8080/demo/token", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	demo(t).Handler().ServeHTTP(w, r)
	require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
	require.Empty(t, w.Header().Get("Access-Control-Allow-Origin"))
	return w
}

func TestThePageGetsATokenOfAnAccount(t *testing.T) {
	t.Parallel()
	for _, header := range [][]string{
		nil,
		{"Origin", "http://127.0.0.1:8080", "Sec-Fetch-Site", "same-origin"},
		{"Host", "localhost:8080", "Origin", "http://localhost:8080"},
		{"Host", "localhost"},
		{"Host", "[::1]:8080"},
		{"Host", "[::1]"},
		{"Content-Type", "application/json; charset=utf-8"},
	} {
		w := askDemo(t, http.MethodPost, `{"subject": "user:42", "scope": "namegate:service"}`, header...)
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		var got struct{ Token string }
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
		v, err := auth.NewVerifier([]auth.Key{demo(t).Key()}, options)
		require.NoError(t, err)
		caller, err := authenticate(v, got.Token)
		require.NoError(t, err)
		require.Equal(t, registry.Caller{Role: registry.User, Subject: "user:42"}, caller)
	}
}

func TestOtherPagesGetNoToken(t *testing.T) {
	t.Parallel()
	for name, header := range map[string][]string{
		"another origin":               {"Origin", "https://evil.example"},
		"another port":                 {"Origin", "http://127.0.0.1:9999"},
		"another site":                 {"Sec-Fetch-Site", "cross-site"},
		"the same site":                {"Sec-Fetch-Site", "same-site"},
		"an opaque origin":             {"Origin", "null"},
		"a name pointed here":          {"Host", "evil.example:8080", "Origin", "http://evil.example:8080", "Sec-Fetch-Site", "same-origin"},
		"a name that looks local":      {"Host", "localhost.evil.example"},
		"an address of the network":    {"Host", "192.168.0.2:8080"},
		"an address of every listener": {"Host", "0.0.0.0:8080"},
		"no name":                      {"Host", ""},
	} {
		w := askDemo(t, http.MethodPost, `{"subject": "user:42"}`, header...)
		require.Equal(t, http.StatusForbidden, w.Code, name)
		require.NotContains(t, w.Body.String(), "token\"", name)
	}
}

func TestRequestsForATokenThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body        string
		contentType string
		status      int
	}{
		"no JSON":        {"subject=user:42", "application/json", http.StatusBadRequest},
		"two values":     {`{"subject":"a"}{}`, "application/json", http.StatusBadRequest},
		"a number":       {`{"subject":1}`, "application/json", http.StatusBadRequest},
		"no subject":     {`{}`, "application/json", http.StatusBadRequest},
		"a long subject": {`{"subject":"` + strings.Repeat("a", 65) + `"}`, "application/json", http.StatusBadRequest},
		"a long body":    {`{"subject":"` + strings.Repeat("a", 1<<10) + `"}`, "application/json", http.StatusRequestEntityTooLarge},
		"a form":         {`{"subject":"a"}`, "application/x-www-form-urlencoded", http.StatusUnsupportedMediaType},
		"text":           {`{"subject":"a"}`, "text/plain", http.StatusUnsupportedMediaType},
		"no type":        {`{"subject":"a"}`, "", http.StatusUnsupportedMediaType},
	} {
		w := askDemo(t, http.MethodPost, tc.body, "Content-Type", tc.contentType)
		require.Equal(t, tc.status, w.Code, name)
		require.Contains(t, w.Body.String(), `"error"`, name)
	}
	w := askDemo(t, http.MethodGet, "")
	require.Equal(t, http.StatusMethodNotAllowed, w.Code)
	require.Equal(t, "POST", w.Header().Get("Allow"))
}
