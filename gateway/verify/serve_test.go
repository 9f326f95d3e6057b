package verify_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/gateway/verify"
	"namegate/storage"
)

// served gives the address of a replica that verifies.
func served(t *testing.T, v *verify.Verifier) (address string, server *verify.Server) {
	t.Helper()
	server = verify.NewServer(v)
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return strings.TrimPrefix(listener.URL, "http://"), server
}

func wrong() *layer { return &layer{says: map[string]storage.Standing{"ada": free}, mends: true} }

var taken = table{"ada": held("ada", 1)}

func TestAReplicaIsAsked(t *testing.T) {
	t.Parallel()
	address, _ := served(t, verifier(t, wrong(), taken, nothing))
	var told int
	report, err := verify.Ask(t.Context(), http.DefaultClient, address, verify.Request{Share: 1, Repair: true}, func(verify.Findings) { told++ })
	require.NoError(t, err)
	require.Equal(t, uint64(1), report.Layers[0].Mended)
	require.Contains(t, report.Layers[0].Examples[0], "ada is said to be free, and is held")
	require.Positive(t, told)
}

func TestBadRequestsAreRefused(t *testing.T) {
	t.Parallel()
	address, _ := served(t, verifier(t, wrong(), taken, nothing))
	for title, c := range map[string]struct {
		kind, body string
		status     int
	}{
		"a form":          {"text/plain", `{"share": 1}`, http.StatusUnsupportedMediaType},
		"no JSON":         {"application/json", `share`, http.StatusBadRequest},
		"another field":   {"application/json", `{"share": 1, "shares": 2}`, http.StatusBadRequest},
		"no share":        {"application/json", `{}`, http.StatusBadRequest},
		"too much of one": {"application/json", `{"share": 2}`, http.StatusBadRequest},
		"a long one":      {"application/json", strings.Repeat(" ", 2000) + `{"share": 1}`, http.StatusBadRequest},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+verify.Path, bytes.NewBufferString(c.body))
			require.NoError(t, err)
			request.Header.Set("Content-Type", c.kind)
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, c.status, response.StatusCode)
		})
	}
	_, err := verify.Ask(t.Context(), http.DefaultClient, address, verify.Request{Share: 7}, ignore)
	require.ErrorContains(t, err, "share")
}

// One verification runs at a time, and ends when its replica does.
func TestOneAtATimeUntilTheReplicaStops(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan struct{})
	v := verify.New(verify.Options{
		Layers: []verify.Layer{&blocking{layer: wrong(), begun: begun}}, Store: taken, Random: func() float64 { return 0 },
	})
	address, server := served(t, v)
	go func() {
		defer close(ended)
		_, err := verify.Ask(context.WithoutCancel(t.Context()), http.DefaultClient, address, all, ignore)
		if err == nil {
			t.Error("a verification that was broken off has no report")
		}
	}()
	<-begun
	_, err := verify.Ask(t.Context(), http.DefaultClient, address, all, ignore)
	require.ErrorContains(t, err, "under way")
	server.Close()
	<-ended
	_, err = verify.Ask(t.Context(), http.DefaultClient, address, all, ignore)
	require.ErrorContains(t, err, "409")
}

// A verification ends when nobody waits for it.
func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	v := verify.New(verify.Options{
		Layers: []verify.Layer{&blocking{layer: wrong(), begun: begun}}, Store: taken, Random: func() float64 { return 0 },
	})
	address, server := served(t, v)
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-begun; leave() }()
	_, err := verify.Ask(ctx, http.DefaultClient, address, all, ignore)
	require.ErrorIs(t, err, context.Canceled)
	server.Close() // returns when it has ended
}
