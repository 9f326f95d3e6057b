package main

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFlags(t *testing.T) {
	t.Parallel()
	o, err := parseFlags(nil, io.Discard)
	require.NoError(t, err)
	require.Equal(t, 10*time.Second, o.duration)
	require.Equal(t, uint64(10_000_000), o.names)
	require.True(t, o.only.MatchString("anything"))

	o, err = parseFlags([]string{"-duration", "1s", "-names", "20000", "-only", "^HTTP"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, time.Second, o.duration)
	require.Equal(t, uint64(20_000), o.names)
	require.False(t, o.only.MatchString("over HTTP"))
}

func TestFlagsRefuse(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-duration", "1500ms"},
		{"-duration", "0s"},
		{"-names", "0"},
		{"-names", "8589934592"},
		{"-only", "("},
		{"-unknown"},
		{"argument"},
	} {
		_, err := parseFlags(args, io.Discard)
		require.Error(t, err, args)
	}
}
