package main

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
)

func parseTerms(t *testing.T, args ...string) (app.Terms, error) {
	t.Helper()
	var c commands
	_, err := newTestParser(t, &c).Parse(append([]string{"dev"}, args...))
	return c.Dev.options(io.Discard).Terms, err
}

// Not parallel: the variables are those of the process.
func TestTerms(t *testing.T) {
	const day = 24 * time.Hour
	terms, err := parseTerms(t)
	require.NoError(t, err)
	require.Equal(t, app.Terms{Protection: 90 * day, RenameCooldown: 14 * day}, terms)
	require.NoError(t, terms.Validate())

	terms, err = parseTerms(t, "--protection", "1h30m", "--rename-cooldown", "0d", "--owner-limit", "email=3", "--owner-limit", "phone=0")
	require.NoError(t, err)
	require.Equal(t, app.Terms{Protection: 90 * time.Minute, OwnerLimits: map[string]int{"email": 3, "phone": 0}}, terms)

	t.Setenv("NAMEGATE_OWNER_LIMIT", "license=1;email=2")
	t.Setenv("NAMEGATE_PROTECTION", "7d")
	terms, err = parseTerms(t)
	require.NoError(t, err)
	require.Equal(t, app.Terms{
		Protection: 7 * day, RenameCooldown: 14 * day, OwnerLimits: map[string]int{"license": 1, "email": 2},
	}, terms)
}

func TestTermsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--protection", "d"},
		{"--protection", "1.5d"},
		{"--protection", "-1d"},
		{"--protection", "99999d"},
		{"--rename-cooldown", "soon"},
		{"--owner-limit", "email"},
		{"--owner-limit", "email=many"},
	} {
		_, err := parseTerms(t, args...)
		require.ErrorContains(t, err, args[0], args)
	}
}
