package graph_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/edge"
	"namegate/gateway/ratelimit"
	"namegate/graph"
)

// checkRequest is what a sign-up form sends for each name typed.
const checkRequest = `{"query":"query Check($name: String!) { usernameAvailable(name: $name) ` +
	`{ requested canonical available reason violations { rule message } decidedBy asOf } }",` +
	`"operationName":"Check","variables":{"name":"benchmark"}}`

// BenchmarkCheckHTTP asks whether a name is free, which the registry knows at
// once: what is measured is the edge.
func BenchmarkCheckHTTP(b *testing.B) {
	opts := graph.Options{
		Authenticator: tokens{}, Logger: slog.New(slog.DiscardHandler),
		Limiter: limits(ratelimit.Rules{ratelimit.Check: {Calls: 1_000_000, Per: time.Second}}), ClientAddress: edge.Addresses{}.Of,
	}
	benchmarkHTTP(b, graph.NewHandler(&fakeRegistry{}, opts))
}

// BenchmarkJSONEchoHTTP is what the same JSON costs with net/http and
// encoding/json alone.
func BenchmarkJSONEchoHTTP(b *testing.B) {
	benchmarkHTTP(b, http.HandlerFunc(echoCheck))
}

func echoCheck(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Query, OperationName string
		Variables            map[string]any
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	type availability struct {
		Requested  any       `json:"requested"`
		Canonical  any       `json:"canonical"`
		Available  bool      `json:"available"`
		Reason     *string   `json:"reason"`
		Violations []string  `json:"violations"`
		DecidedBy  string    `json:"decidedBy"`
		AsOf       time.Time `json:"asOf"`
	}
	name := in.Variables["name"]
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]map[string]availability{"data": {"usernameAvailable": {
		Requested: name, Canonical: name, Available: true, Violations: []string{}, DecidedBy: "DATABASE", AsOf: asOf,
	}}})
}

// benchmarkHTTP posts checkRequest over 64 connections for each CPU, kept alive,
// by a client that costs next to nothing.
func benchmarkHTTP(b *testing.B, handler http.Handler) {
	server := httptest.NewServer(handler)
	defer server.Close()
	address := server.Listener.Addr().String()
	request := fmt.Appendf(nil, "POST / HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/graphql-response+json,application/json;q=0.9\r\nContent-Length: %d\r\n\r\n%s",
		address, len(checkRequest), checkRequest)
	b.SetParallelism(64)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", address)
		require.NoError(b, err)
		defer conn.Close()
		reader := bufio.NewReader(conn)
		for pb.Next() {
			_, err := conn.Write(request)
			require.NoError(b, err)
			readOK(b, reader)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

// readOK reads one response with a Content-Length, and nothing more.
func readOK(b *testing.B, reader *bufio.Reader) {
	lines := textproto.NewReader(reader)
	status, err := lines.ReadLine()
	require.NoError(b, err)
	require.Equal(b, "HTTP/1.1 200 OK", status)
	header, err := lines.ReadMIMEHeader()
	require.NoError(b, err)
	length, err := strconv.Atoi(header.Get("Content-Length"))
	require.NoError(b, err)
	_, err = io.CopyN(io.Discard, reader, int64(length))
	require.NoError(b, err)
}
