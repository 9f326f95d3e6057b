package app_test

import (
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
	"namegate/gateway/ratelimit"
)

func TestAReplicaLimitsItsClientsByTheirAddress(t *testing.T) {
	t.Parallel()
	r := production(t, func(o *app.Options) {
		o.Limits = app.Limits{
			Rules:   ratelimit.Rules{ratelimit.Check: {Calls: 2, Per: time.Hour}},
			Trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		}
	})
	ask := func(forwarded string) *http.Response {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+r.HTTPAddr()+`/graphql?query={usernameAvailable(name:"ann"){available}}`, nil)
		require.NoError(t, err)
		request.Header.Set("X-Forwarded-For", forwarded)
		response, err := http.DefaultTransport.RoundTrip(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response
	}
	for range 2 {
		require.Equal(t, http.StatusOK, ask("203.0.113.5").StatusCode)
	}
	refused := ask("198.51.100.1, 203.0.113.5")
	require.Equal(t, http.StatusTooManyRequests, refused.StatusCode)
	require.NotEmpty(t, refused.Header.Get("Retry-After"))
	require.Equal(t, http.StatusOK, ask("203.0.113.6").StatusCode)
}

func TestLimitsThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	opts := devOptions(t, t.TempDir())
	opts.Limits = app.Limits{Rules: ratelimit.Rules{ratelimit.Check: {Calls: 1}}, WideFactor: 1001}
	_, err := app.New(opts)
	require.ErrorContains(t, err, "--rate-limit of CHECK")
	require.ErrorContains(t, err, "--rate-limit-wide")
}
