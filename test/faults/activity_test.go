package faults_test

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// activity is what the statements in flight to a database came to.
type activity struct {
	lookups int // most at once that read names of checks
	all     int // most at once of all sorts
	samples int // in which there were any
}

// sampleSQL is taken again and again in one session. Between two statements of a transaction
// is in flight, too; the tests' own sessions are not.
const sampleSQL = `SELECT datname, count(*) FILTER (WHERE query LIKE '` + lookupPattern + `'), count(*) FROM pg_stat_activity
	WHERE state <> 'idle' AND backend_type = 'client backend' AND application_name <> 'psql' AND datname IN ('a', 'b') GROUP BY datname \watch 0.01`

// watchActivity samples a server with databases a and b, until the function given is called,
// which says what was seen.
func (g *registry) watchActivity(t testing.TB) (stop func() map[string]activity) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", g.dsns["a"])
	dieWithTests(cmd)
	var seen bytes.Buffer
	cmd.Stdin, cmd.Stdout = strings.NewReader(sampleSQL), &seen
	require.NoError(t, cmd.Start())
	end := func() { cancel(); _ = cmd.Wait() } // it never ends by itself
	t.Cleanup(end)
	return func() map[string]activity {
		end()
		return summarise(t, seen.String())
	}
}

func summarise(t testing.TB, samples string) map[string]activity {
	t.Helper()
	most := map[string]activity{}
	for line := range strings.Lines(samples) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 3 {
			continue // the time of a sample
		}
		var lookups, all int
		_, err := fmt.Sscan(fields[1]+" "+fields[2], &lookups, &all)
		require.NoError(t, err, line)
		m := most[fields[0]]
		most[fields[0]] = activity{max(m.lookups, lookups), max(m.all, all), m.samples + 1}
	}
	return most
}
