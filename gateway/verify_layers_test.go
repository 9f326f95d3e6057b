package main

import (
	"bytes"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/gateway/verify"
)

func TestVerifyLayersOfAReplica(t *testing.T) {
	t.Parallel()
	r := startDev(t, dataDir(t))
	admin, err := url.Parse(r.url(t, "Readiness"))
	require.NoError(t, err)
	var got outcome
	require.Eventually(t, func() bool {
		got = finish(t, command(t, "verify", "--replica", admin.Host))
		return got.code == exitOK // the filter answers
	}, 30*time.Second, time.Millisecond, got.out)
	for _, layer := range []registry.Layer{registry.LayerDenyList, registry.LayerLocalCache, registry.LayerFilter} {
		require.Contains(t, got.out, layer)
	}
	got = finish(t, command(t, "verify", "--replica", admin.Host, "--replica", "127.0.0.1:1"))
	require.Equal(t, exitUnseen, got.code, got.err)
	require.Contains(t, got.out, admin.Host, "the other one is looked at")
	require.Contains(t, got.err, "127.0.0.1:1")
}

func TestVerifyLayersFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--repair"},
		{"--share", "0.5"},
		{"--replica", "127.0.0.1:9090", "--share", "0"},
		{"--replica", "127.0.0.1:9090", "--share", "NaN"},
		{"--replica", "http://127.0.0.1:9090"},
		{"--replica", "localhost"},
		{"--replica", ""},
	} {
		got := finish(t, command(t, append([]string{"verify"}, args...)...))
		require.Equal(t, exitUsage, got.code, args)
		require.Contains(t, got.err, "--", args)
	}
}

func TestLayersArePrinted(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	printLayers(&out, "host:1", verify.Report{Layers: []verify.Findings{{
		Layer: registry.LayerFilter, Names: 5, Said: 2, Wrong: 2, Mended: 1, Examples: []string{"ada is not so"}, Unseen: []string{"database b"},
	}}})
	require.Equal(t, `host:1
                   names   answered      wrong     mended
       FILTER          5          2          2          1
                ada is not so
                not looked at: database b
`, out.String())
}
