package edge_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/edge"
)

func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return w
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	up, away := edge.Database{Name: "a", Up: true}, edge.Database{Name: "b"}
	for name, tc := range map[string]struct {
		phase     edge.Phase
		databases []edge.Database
		status    int
		body      string
	}{
		"starting": {
			edge.Starting,
			[]edge.Database{up},
			http.StatusServiceUnavailable,
			`{"ready":false,"status":"starting","databases":[{"name":"a","up":true}]}`,
		},
		"all databases up": {
			edge.Serving,
			[]edge.Database{up},
			http.StatusOK,
			`{"ready":true,"status":"ready","databases":[{"name":"a","up":true}]}`,
		},
		"one of two away": {
			edge.Serving,
			[]edge.Database{up, away},
			http.StatusOK,
			`{"ready":true,"status":"degraded","databases":[{"name":"a","up":true},{"name":"b","up":false}]}`,
		},
		"all away": {
			edge.Serving,
			[]edge.Database{away},
			http.StatusServiceUnavailable,
			`{"ready":false,"status":"unavailable","databases":[{"name":"b","up":false}]}`,
		},
		"stopping": {
			edge.Stopping,
			[]edge.Database{up},
			http.StatusServiceUnavailable,
			`{"ready":false,"status":"stopping","databases":[{"name":"a","up":true}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var health edge.Health
			health.SetPhase(tc.phase)
			health.Watch(func(context.Context) []edge.Database { return tc.databases })
			w := get(t, health.Handler(), "/readyz")
			require.Equal(t, tc.status, w.Code)
			require.JSONEq(t, tc.body, w.Body.String())
		})
	}
}

func TestANewReplicaIsLiveAndNotReady(t *testing.T) {
	t.Parallel()
	var health edge.Health
	require.Equal(t, http.StatusOK, get(t, health.Handler(), "/livez").Code)
	w := get(t, health.Handler(), "/readyz")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.JSONEq(t, `{"ready":false,"status":"starting","databases":[]}`, w.Body.String())
	require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
}
