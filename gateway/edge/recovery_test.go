package edge_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/edge"
)

func recovered(log io.Writer, h http.HandlerFunc) http.Handler {
	return edge.Recover(h, slog.New(slog.NewTextHandler(log, nil)))
}

func TestAPanicBecomesA500WithoutDetails(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := get(t, recovered(&log, func(http.ResponseWriter, *http.Request) { panic("password=hunter2") }), "/page")
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.NotContains(t, w.Body.String(), "hunter2")
	require.Contains(t, log.String(), "hunter2")
	require.Contains(t, log.String(), "recovery_test.go", "the stack is logged")
}

func TestAnAnswerThatHasBegunIsCutOff(t *testing.T) {
	t.Parallel()
	h := recovered(io.Discard, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("half"))
		panic("late")
	})
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { get(t, h, "/") })
}

func TestAnAbortPasses(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := recovered(&log, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { get(t, h, "/") })
	require.Empty(t, log.String())
}

func TestTheConnectionStaysReachable(t *testing.T) {
	t.Parallel()
	w := get(t, recovered(io.Discard, func(w http.ResponseWriter, _ *http.Request) {
		if err := http.NewResponseController(w).Flush(); err != nil {
			panic(err)
		}
	}), "/")
	require.True(t, w.Flushed)
}
