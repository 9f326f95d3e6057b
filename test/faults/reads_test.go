package faults_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg"
	"namegate/storage/localpg/pgtest"
)

// countingServer is a server with databases a and b that counts what is asked of it.
func countingServer(t testing.TB) *localpg.Server {
	t.Helper()
	own := pgtest.NewServer(t, map[string]string{"shared_preload_libraries": "pg_stat_statements", "max_connections": "200"}, "a", "b")
	psql(t, own.DSN("a"), `CREATE EXTENSION pg_stat_statements`)
	return own
}

// lookupPattern is LIKE the statement that reads names of checks, and no other.
const lookupPattern = `%SELECT i.n, coalesce(v.state IN (%) WITH ORDINALITY%`

// readsOfNames is how many names the databases were asked for, be it in one statement or in
// several.
func (g *registry) readsOfNames(t testing.TB) int {
	t.Helper()
	return g.counted(t, "rows")
}

// statementsOfChecks is in how many statements that was.
func (g *registry) statementsOfChecks(t testing.TB) int {
	t.Helper()
	return g.counted(t, "calls")
}

// counted asks a counting server, of which database a tells for both.
func (g *registry) counted(t testing.TB, column string) int {
	t.Helper()
	n, err := strconv.Atoi(psql(t, g.dsns["a"], `SELECT coalesce(sum(`+column+`), 0) FROM pg_stat_statements WHERE query LIKE '`+lookupPattern+`'`))
	require.NoError(t, err)
	return n
}
