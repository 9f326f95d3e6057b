package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, printTable(&out, "On a machine.", []row{
		{name: "ruler", rate: 15600.4, lowest: 999.6, highest: 1234567, wal: 257.8, ratio: 1, unit: "ruler"},
		{name: "wall", rate: 100, lowest: 90, highest: 110, p50: 1234 * time.Microsecond, p99: time.Second, asked: 0.0123, wal: 0.018, ratio: 1.006, unit: "ruler"},
	}))
	require.Equal(t, `On a machine.

| Work | A second | Lowest – highest | p50 | p99 | By a database | WAL bytes each | Ratio |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |
| ruler | 15,600 | 1,000 – 1,234,567 |  |  |  | 258 | 1.00 x ruler |
| wall | 100 | 90 – 110 | 1.23 ms | 1000.00 ms | 1.23 % | 0.02 | 1.01 x ruler |
`, out.String())
}
