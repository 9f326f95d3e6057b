package faults_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// One replica loses one database, whose connections stay open and give no sign: its filter
// answers for that one's names until the bound has passed, it refuses to from then on, goes
// on for the other's, and is back soon after the database is, whether or not these
// connections come to life.
func TestOneDatabaseIsSilentForOneReplica(t *testing.T) {
	t.Parallel()
	g := sharedRegistry(t)
	way := newProxy(t)
	address := way.forward(t, "127.0.0.1:0", "unix", socketOf(t, g.dsns["b"]))
	peers, writer := g.fleet(t, 1, direct), g.writer(t)
	behind := *g
	behind.dsns = map[string]string{"a": g.dsns["a"], "b": throughTCP(g.dsns["b"], address.String())}
	cutOff := behind.peer(t, "cut", direct, peers)
	cutOff.start(t)
	awaitAuthority(t, cutOff.replica)
	w := newWitness(t, g.staleness)
	var vouching atomic.Int64
	for _, back := range []struct {
		what string
		heal func()
	}{{"connections come to life", way.heal}, {"connections stay silent", way.healForNew}} {
		way.cut()
		g.loseDatabase(t, w, writer, cutOff.replica, &vouching)
		back.heal()
		took := eventually(t, 15*time.Second, "authority over the database that is back", func() bool {
			return cutOff.vouchesFor(t.Context(), g.freshNamesIn("b", maxChecks))
		})
		t.Logf("%s: the filter answers again %s after the heal", back.what, took.Round(time.Millisecond))
		w.question(t.Context(), cutOff.replica, w.some()...)
	}
	require.NotZero(t, vouching.Load(), "answers of the filter for a database that has just fallen silent")
}

// loseDatabase looks at a replica that has just lost database b, while another one gives
// names of it away. What the filter still answers for it within the bound is counted.
func (g *registry) loseDatabase(t testing.TB, w *witness, writer, cutOff *replica, vouching *atomic.Int64) {
	t.Helper()
	lost := time.Now()
	refusing := lost.Add(2 * g.staleness)                // from when on it can vouch for nothing
	known := lost.Add(max(2*g.staleness, 6*time.Second)) // from when on nobody waits for it to be found out
	ctx, cancel := context.WithDeadline(t.Context(), lost.Add(max(3*g.staleness, 9*time.Second)))
	defer cancel()
	var asking sync.WaitGroup
	defer asking.Wait()
	for range 8 { // as each is not answered for a while
		asking.Go(func() {
			for ctx.Err() == nil {
				for _, a := range w.question(t.Context(), cutOff, append(g.freshNamesIn("b", 5), g.heldIn("b", w)...)...) {
					if a.byFilter() && a.sent.Before(lost.Add(g.staleness)) {
						vouching.Add(1)
					}
					if a.sent.After(refusing) && !refusals[a.code] || a.sent.After(known) && a.code != "UNAVAILABLE" {
						t.Errorf("answer for a database that was silent for %s: %+v", a.sent.Sub(lost), a)
					}
				}
			}
		})
	}
	vouched := 0
	for tick := time.Tick(watchInterval); ctx.Err() == nil; <-tick {
		writer.hold(t, w, g.freshNamesIn("b", 1)...)
		for _, a := range w.question(t.Context(), cutOff, g.freshNamesIn("a", 5)...) {
			if a.byFilter() && a.sent.After(refusing) {
				vouched++
			}
		}
	}
	require.NotZero(t, vouched, "answers of the filter for the other database")
}

// refusals are the codes of a check that no database answers; TIMEOUT is that of one whose
// own time ended first, before the database was known to be silent.
var refusals = map[string]bool{"UNAVAILABLE": true, "TIMEOUT": true}

// heldIn are some names of a database among those that the witness knows.
func (g *registry) heldIn(database string, w *witness) (names []string) {
	for _, name := range w.some() {
		if g.databaseOf(name) == database {
			names = append(names, name)
		}
	}
	return names[:min(5, len(names))]
}

// socketOf is the path of the socket that a connection string is of.
func socketOf(t testing.TB, dsn string) string {
	t.Helper()
	_, rest, _ := strings.Cut(dsn, "host='")
	dir, _, found := strings.Cut(rest, "'")
	require.True(t, found, dsn)
	return dir + "/.s.PGSQL.5432"
}

// throughTCP is a connection string of the same database by another way.
func throughTCP(dsn, address string) string {
	host, port, _ := strings.Cut(address, ":")
	_, rest, _ := strings.Cut(dsn, " user=")
	return fmt.Sprintf("host=%s port=%s sslmode=disable user=%s", host, port, rest)
}
