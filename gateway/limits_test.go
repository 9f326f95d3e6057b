package main

import (
	"io"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
	"namegate/gateway/ratelimit"
)

func parseLimits(t *testing.T, args ...string) (app.Limits, error) {
	t.Helper()
	var c commands
	_, err := newTestParser(t, &c).Parse(append([]string{"dev"}, args...))
	return c.Dev.options(io.Discard).Limits, err
}

// Not parallel: the variables are those of the process.
func TestLimits(t *testing.T) {
	limits, err := parseLimits(t)
	require.NoError(t, err)
	require.Equal(t, app.Limits{Rules: ratelimit.DefaultRules(), WideFactor: ratelimit.DefaultWideFactor}, limits)

	limits, err = parseLimits(t, "--rate-limit", "check=600/1h", "--rate-limit", "verify=off", "--rate-limit-wide", "0", "--trusted-proxy", "10.0.0.0/8,fd00::/8")
	require.NoError(t, err)
	require.Equal(t, ratelimit.Limit{Calls: 600, Per: time.Hour}, limits.Rules[ratelimit.Check])
	require.Zero(t, limits.Rules[ratelimit.Verify])
	require.Equal(t, ratelimit.DefaultRules()[ratelimit.Signup], limits.Rules[ratelimit.Signup])
	require.Zero(t, limits.WideFactor)
	require.Equal(t, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}, limits.Trusted)
	require.NoError(t, limits.Validate())

	t.Setenv("NAMEGATE_RATE_LIMIT", "off;check=7/1s")
	limits, err = parseLimits(t)
	require.NoError(t, err)
	require.Equal(t, ratelimit.Limit{Calls: 7, Per: time.Second}, limits.Rules[ratelimit.Check])
	require.Zero(t, limits.Rules[ratelimit.Signup])
}

func TestLimitsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--rate-limit", "check"},
		{"--rate-limit", "check="},
		{"--rate-limit", "check=60"},
		{"--rate-limit", "check=60/minute"},
		{"--rate-limit", "check=0/1m"},
		{"--rate-limit", "check=-1/1m"},
		{"--rate-limit", "check=60/2h"},
		{"--rate-limit", "all=60/1m"},
		{"--trusted-proxy", "10.0.0.0/99"},
		{"--trusted-proxy", "a proxy"},
	} {
		_, err := parseLimits(t, args...)
		require.ErrorContains(t, err, args[0], args)
	}
	limits, err := parseLimits(t, "--rate-limit-wide=-1")
	require.NoError(t, err)
	require.ErrorContains(t, limits.Validate(), "--rate-limit-wide")
}
