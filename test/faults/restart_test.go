package faults_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg/pgtest"
)

// restartLimit is how soon after its start a replica with files answers from its filter.
const restartLimit = 5 * time.Second

// Replicas that are restarted one after the other go on from their files, and one without
// files gets all of the others: nobody reads a table anew.
func TestARollingRestartReadsNoTable(t *testing.T) {
	t.Parallel()
	own := pgtest.NewServer(t, map[string]string{"shared_preload_libraries": "pg_stat_statements"}, "a", "b")
	g := newRegistry(t, own.DSN("a"), own.DSN("b"))
	psql(t, own.DSN("a"), `CREATE EXTENSION pg_stat_statements`)
	peers := g.fleet(t, 5, direct)
	writer := g.writer(t)
	w := newWitness(t, g.staleness)
	writer.hold(t, w, freshNames(maxChecks)...)
	w.watch(t, replicasOf(peers)...)
	awaitQuiet(t, own.DSN("a"))
	copies, built := copiesOn(t, own.DSN("a")), g.builds(t)
	require.NotZero(t, copies, "copies of tables that are counted")
	for _, p := range peers {
		p.stop(t)
		writer.hold(t, w, freshName())
		p.start(t)
		awaitAuthority(t, p.replica)
		took := time.Since(p.started)
		t.Logf("%s answers from its filter %s after its start", p.id, took.Round(time.Millisecond))
		require.Less(t, took, restartLimit)
	}
	late := g.peer(t, "late", direct, peers)
	late.start(t)
	awaitAuthority(t, late.replica)
	t.Logf("a replica without files answers from its filter %s after its start", time.Since(late.started).Round(time.Millisecond))
	require.Equal(t, copies, copiesOn(t, own.DSN("a")), "copies of tables")
	require.Equal(t, built, g.builds(t), "numbered builds")
}

// copiesOn is how many copies of tables a server has made for readers of its feeds.
func copiesOn(t testing.TB, dsn string) int {
	t.Helper()
	n, err := strconv.Atoi(psql(t, dsn, `SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query LIKE 'COPY %'`))
	require.NoError(t, err)
	return n
}

// builds is how many bases of filters were numbered.
func (g *registry) builds(t testing.TB) (count int) {
	t.Helper()
	for _, dsn := range g.dsns {
		n, err := strconv.Atoi(psql(t, dsn, `SELECT coalesce(sum(build), 0) FROM vshards`))
		require.NoError(t, err)
		count += n
	}
	return count
}

// awaitQuiet waits until no more tables are copied.
func awaitQuiet(t testing.TB, dsn string) {
	t.Helper()
	last, since := copiesOn(t, dsn), time.Now()
	eventually(t, patience, "an end of the first builds", func() bool {
		if n := copiesOn(t, dsn); n != last {
			last, since = n, time.Now()
		}
		return time.Since(since) > 2*time.Second
	})
}
