package faults_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage/rediscache/redistest"
)

const (
	// coldRate is how many checks a second three replicas get in all, half of them of names
	// that are taken.
	coldRate = 5000
	// coldLength is for how long at least, and coldRest after the last filter answers.
	coldLength = 6 * time.Second
	coldRest   = 2 * time.Second
	// lookupsInFlight is how many statements of checks one replica may have in flight to a
	// database: its batches, whatever waits for them.
	lookupsInFlight = 2
	// statementsInFlight is how many of all sorts: those, reads of the feed for the filter
	// and for Redis, two copies for builds, a sweep, the route map and a probe.
	statementsInFlight = lookupsInFlight + 7
)

// overload are the codes of checks that are refused under load, for a time.
var overload = map[string]bool{"OVERLOADED": true, "UNAVAILABLE": true, "TIMEOUT": true}

// Three replicas that know nothing, with filters, caches and a Redis that are empty, are
// started at once and asked at once, while they make their filters of full tables. Their
// databases see few statements at a time, also when these take long, and all answers are right.
// It takes all of the machine, so no other test runs beside it.
func TestThreeReplicasStartColdUnderLoad(t *testing.T) {
	own := countingServer(t)
	g := newRegistry(t, own.DSN("a"), own.DSN("b"))
	redis := redistest.New(t)
	w, taken := newWitness(t, g.staleness), freshNames(rounds(50_000, 500_000))
	g.importNames(t, taken)
	for _, name := range taken {
		w.held(name, time.Now())
	}
	var peers []*peer
	for _, id := range []string{"r0", "r1", "r2"} {
		peers = append(peers, g.peer(t, id, direct, peers, "--redis", redis.URL()))
	}
	activity := g.watchActivity(t)
	for _, p := range peers {
		p.launch(t)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	l := &load{witness: w, taken: taken}
	for _, p := range peers {
		p.awaitReady(t)
		l.running.Go(func() { l.put(ctx, t, p.replica, coldRate/len(peers)) })
	}
	began := time.Now()
	for range rounds(2, 10) {
		g.holdUp(t)
	}
	for _, p := range peers {
		awaitAuthority(t, p.replica)
	}
	t.Logf("all filters answer %s after the start", time.Since(began).Round(time.Millisecond))
	<-time.After(max(coldRest, coldLength-time.Since(began)))
	end()
	l.running.Wait()
	passed := time.Since(began)
	t.Logf("%.0f checks a second were answered, %d operations not sent as too many waited", float64(l.answered.Load())/passed.Seconds(), l.skipped.Load())
	t.Logf("%d names in %d statements were read from the databases", g.readsOfNames(t), g.statementsOfChecks(t))
	for database, most := range activity() {
		t.Logf("in flight to %s at once: at most %d statements of checks, %d in all, in %d samples", database, most.lookups, most.all, most.samples)
		require.Positive(t, most.lookups, "statements of checks that were seen")
		require.LessOrEqual(t, most.lookups, lookupsInFlight*len(peers))
		require.LessOrEqual(t, most.all, statementsInFlight*len(peers))
	}
	for code, count := range w.refused {
		require.True(t, overload[code], "%d answers with code %s", count, code)
	}
}

// holdUp keeps all reads of one database after the other waiting for a while.
func (g *registry) holdUp(t testing.TB) {
	t.Helper()
	for _, dsn := range g.dsns {
		psql(t, dsn, `BEGIN`, `LOCK TABLE holdings`, `SELECT pg_sleep(0.7)`, `COMMIT`)
	}
}
