package graph

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A handler without an executor stands for any bug outside resolvers.
func TestAPanicOfTheTransportIsAnswered(t *testing.T) {
	t.Parallel()
	var logs bytes.Buffer
	broken := &handler{faults: newPresenter(slog.New(slog.NewTextHandler(&logs, nil))), timeout: DefaultTimeout}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(`{"query":"{ __typename }"}`))
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()

	broken.ServeHTTP(response, request)

	require.Equal(t, http.StatusInternalServerError, response.Code)
	require.Contains(t, response.Body.String(), codeInternal)
	require.NotContains(t, response.Body.String(), "nil pointer")
	require.Contains(t, logs.String(), "nil pointer")
}
