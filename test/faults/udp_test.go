package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Where no datagram comes through, all goes on without hints: names are known within the
// bound, and a replica that joins gets its filter of the others.
func TestDatagramsAreBlocked(t *testing.T) {
	t.Parallel()
	g := sharedRegistry(t)
	peers := g.fleet(t, 2, proxied)
	replicas := replicasOf(peers)
	w := newWitness(t, g.staleness)
	w.watch(t, replicas...)
	built := g.builds(t)
	for _, p := range peers {
		p.datagrams.cut()
	}
	for range rounds(10, 100) {
		name := freshName()
		replicas[0].hold(t, w, name)
		w.requireKnown(t, name, replicas...)
	}
	require.False(t, hears(t, peers[0], replicas[1]), "a hint came through")
	late := g.peer(t, "late", proxied, peers)
	late.datagrams.cut()
	late.start(t)
	awaitAuthority(t, late.replica)
	t.Logf("a replica that joins answers from its filter %s after its start", time.Since(late.started).Round(time.Millisecond))
	require.Equal(t, built, g.builds(t), "bases that were built for a replica that could have had them of others")
	w.question(t.Context(), late.replica, w.some()...)
}
