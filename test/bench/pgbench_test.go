package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const pgbenchReport = `pgbench (15.18)
transaction type: upsert.sql
number of clients: 32
number of transactions actually processed: 46800
number of failed transactions: 0 (0.000%)
latency average = 2.051 ms
initial connection time = 48.200 ms
tps = 15600.123456 (without initial connection time)
`

func TestParsePgbench(t *testing.T) {
	t.Parallel()
	s, err := parsePgbench(pgbenchReport)
	require.NoError(t, err)
	require.Equal(t, sample{calls: 46800, rate: 15600.123456}, s)
	for name, out := range map[string]string{
		"failures":  pgbenchReport + "number of failed transactions: 3 (0.006%)\n",
		"no report": "pgbench: error: client 0 aborted",
	} {
		_, err := parsePgbench(out)
		require.ErrorContains(t, err, out, name)
	}
}

func TestAScriptIsOneTransaction(t *testing.T) {
	t.Parallel()
	require.Equal(t, upsertScript, upserts(1))
	script := upserts(3)
	require.Equal(t, 3, strings.Count(script, "INSERT"))
	require.Equal(t, 3, strings.Count(script, "random"), "each has a key of its own")
	require.True(t, strings.HasPrefix(script, "BEGIN;\n") && strings.HasSuffix(script, "END;\n"))
}
