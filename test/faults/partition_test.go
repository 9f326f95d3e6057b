package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Replicas that hear nothing of one another for three bounds go on by themselves, and find
// one another again.
func TestTheReplicasAreCutOffFromOneAnother(t *testing.T) {
	t.Parallel()
	g := sharedRegistry(t)
	peers := g.fleet(t, 3, proxied)
	replicas := replicasOf(peers)
	w := newWitness(t, g.staleness)
	w.watch(t, replicas...)
	requireHearing(t, peers[0], replicas[1:]...)
	for range rounds(1, 5) {
		cut(peers...)
		g.keepHolding(t, w, 3*g.staleness, replicas)
		require.False(t, hears(t, peers[0], replicas[1]), "a hint came through a network that was cut")
		heal(peers...)
		requireHearing(t, peers[0], replicas[1:]...)
		requireHearing(t, peers[2], replicas[:2]...)
	}
}

// keepHolding has names reserved at all replicas in turn for some time, while the filters
// of all go on answering.
func (g *registry) keepHolding(t testing.TB, w *witness, d time.Duration, replicas []*replica) {
	t.Helper()
	for i, end := 0, time.Now().Add(d); time.Now().Before(end); i++ {
		name := freshName()
		replicas[i%len(replicas)].hold(t, w, name)
		w.requireKnown(t, name, replicas...)
	}
	for _, r := range replicas {
		awaitAuthority(t, r)
	}
}

// hears says whether a hint of one replica reaches another. A name that was given up is free
// by the feed; but whoever had a hint of it asks the database for as long as hints last.
func hears(t testing.TB, from *peer, to *replica) bool {
	t.Helper()
	name := freshName()
	token, err := from.reserve(t.Context(), name, freshName()+freshName())
	require.NoError(t, err)
	require.NoError(t, from.cancel(t.Context(), token))
	heard := false
	for cancelled, judged := time.Now(), false; !judged; {
		awaitReading(t, to, cancelled)
		answers, err := to.check(t.Context(), append(freshNames(maxChecks-1), name)...)
		require.NoError(t, err)
		judged = allByFilter(answers[:maxChecks-1], cancelled) // else it was too slow to vouch for any
		heard = !answers[maxChecks-1].byFilter()
	}
	return heard
}

// requireHearing waits until hints of one replica reach the others.
func requireHearing(t testing.TB, from *peer, to ...*replica) {
	t.Helper()
	for _, r := range to {
		took := eventually(t, patience, "a hint", func() bool { return hears(t, from, r) })
		t.Logf("hints of %s reach %s after %s", from.id, r.id, took.Round(time.Millisecond))
	}
}
