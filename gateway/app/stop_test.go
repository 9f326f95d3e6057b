package app_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
)

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	opts := namedOptions(t, shared.Database(t))
	require.NoError(t, app.Migrate(t.Context(), opts.Databases, opts.Logger))
	r, err := app.New(opts)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	started := false
	require.NoError(t, r.Run(ctx, func() {
		started = true
		cancel()
	}))
	require.True(t, started)
	_, err = net.Dial("tcp", r.HTTPAddr())
	require.Error(t, err, "it listens no more")

	r, err = app.New(opts)
	require.NoError(t, err)
	require.NoError(t, r.Run(ctx, func() { t.Error("started") }), "a signal while it starts is no error")
}

// halfSent is a check of which the server has the head and waits for the body.
type halfSent struct {
	conn   net.Conn
	answer *bufio.Reader
	body   string
}

func sendHalf(t *testing.T, r *app.Replica) halfSent {
	t.Helper()
	conn, err := net.Dial("tcp", r.HTTPAddr())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	h := halfSent{conn: conn, answer: bufio.NewReader(conn), body: `{"query": "{ usernameAvailable(name: \"ada\") { available } }"}`}
	fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", len(h.body))
	line, err := h.answer.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "100 Continue")
	_, err = h.answer.ReadString('\n')
	require.NoError(t, err)
	return h
}

// complete sends the body and gives the answer.
func (h halfSent) complete(t *testing.T) string {
	t.Helper()
	_, err := io.WriteString(h.conn, h.body)
	require.NoError(t, err)
	response, err := http.ReadResponse(h.answer, nil)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(text)
}

func TestAStopFailsReadinessFirstAndAnswersWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	opts := namedOptions(t, shared.Database(t))
	require.NoError(t, app.Migrate(t.Context(), opts.Databases, opts.Logger))
	r := start(t, opts)
	underWay := sendHalf(t, r)

	stopped := make(chan error, 1)
	go func() { stopped <- r.Stop(context.Background()) }()
	require.Eventually(t, func() bool {
		status, body := get(t, "http://"+r.AdminAddr()+"/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(body, `"stopping"`)
	}, 5*time.Second, 10*time.Millisecond)
	require.Empty(t, stopped, "it waits")
	require.Contains(t, underWay.complete(t), `"available":true`, "the databases are still there")
	require.NoError(t, <-stopped)
}

// Whoever sends calls here hears of a stop a while after it has begun.
func TestAReplicaThatStopsTakesCallsForItsDelay(t *testing.T) {
	t.Parallel()
	opts := namedOptions(t, shared.Database(t))
	opts.ShutdownDelay = time.Minute
	require.NoError(t, app.Migrate(t.Context(), opts.Databases, opts.Logger))
	r := start(t, opts)
	isLast := callsOnOne(t, r)
	require.False(t, isLast())

	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- r.Stop(ctx) }()
	require.Eventually(t, func() bool {
		status, _ := get(t, "http://"+r.AdminAddr()+"/readyz")
		return status == http.StatusServiceUnavailable
	}, 5*time.Second, 10*time.Millisecond)
	require.True(t, isLast(), "an open connection has its last call")
	require.Contains(t, check(t, r, "ada"), `"available":true`, "and new ones have theirs")
	require.Empty(t, stopped, "it waits")
	cancel()
	require.NoError(t, <-stopped)
}

// callsOnOne makes one call after the other on one connection, and says of each whether the
// connection is closed after it.
func callsOnOne(t *testing.T, r *app.Replica) (isLast func() bool) {
	t.Helper()
	conn, err := net.Dial("tcp", r.HTTPAddr())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	answers := bufio.NewReader(conn)
	return func() bool {
		fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		response, err := http.ReadResponse(answers, nil)
		require.NoError(t, err)
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
		return response.Close
	}
}
