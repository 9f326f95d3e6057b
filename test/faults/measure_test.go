package faults_test

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func skipUnmeasured(t *testing.T) {
	t.Helper()
	if !*measure {
		t.Skip("only measures: -faults.measure")
	}
}

// How soon all of three replicas know of a reserve, from its acknowledgement on.
func TestHowSoonAllKnowAName(t *testing.T) {
	skipUnmeasured(t)
	g := sharedRegistry(t)
	peers := g.fleet(t, 3, proxied)
	t.Logf("with hints: %s", howSoon(t, peers))
	for _, p := range peers {
		p.datagrams.cut()
	}
	t.Logf("without hints: %s", howSoon(t, peers))
}

// measured is how many names are reserved for one figure.
const measured = 200

func howSoon(t *testing.T, peers []*peer) string {
	t.Helper()
	w := newWitness(t, bound())
	var took []time.Duration
	for i := range measured {
		name, writer := freshName(), peers[i%len(peers)]
		for _, p := range peers { // warm connections
			p.checkOne(t, freshName())
		}
		writer.hold(t, w, name)
		took = append(took, awaitAll(t, w, name, peers))
	}
	slices.Sort(took)
	part := func(percent int) time.Duration { return took[(len(took)-1)*percent/100].Round(100 * time.Microsecond) }
	return fmt.Sprintf("of %d names, half were known everywhere %s after the acknowledgement, 99%% after %s, all after %s",
		len(took), part(50), part(99), part(100))
}

// awaitAll asks all replicas at once, without pauses, until all know a name.
func awaitAll(t *testing.T, w *witness, name string, peers []*peer) time.Duration {
	held := w.tenures[name].from
	var asking sync.WaitGroup
	known := make([]time.Duration, len(peers))
	for i, p := range peers {
		asking.Go(func() {
			for time.Since(held) < patience {
				if a := w.question(t.Context(), p.replica, name); a != nil && a[0].code == "" && !a[0].Available {
					known[i] = a[0].sent.Sub(held)
					return
				}
			}
		})
	}
	asking.Wait()
	require.NotContains(t, known, time.Duration(0), "replicas that know a name")
	return max(0, slices.Max(known))
}

// manyNames are in the registry when starts are measured.
const manyNames = 300_000

// How soon a replica answers from its filter after its start.
func TestHowSoonAReplicaAnswers(t *testing.T) {
	skipUnmeasured(t)
	g := sharedRegistry(t)
	file := filepath.Join(g.dir, "names")
	makeNames(t, file, manyNames)
	g.run(t, "import", append(g.databases(), file)...)
	first := g.peer(t, "first", direct, nil)
	t.Logf("from the tables: %s", g.firstAnswer(t, first.replica))
	second := g.peer(t, "second", direct, []*peer{first})
	t.Logf("from another replica: %s", g.firstAnswer(t, second.replica))
	for range 3 {
		second.stop(t)
		t.Logf("from its files: %s", g.firstAnswer(t, second.replica))
	}
	alone := g.peer(t, "first", direct, nil)
	first.stop(t)
	second.stop(t)
	t.Logf("from its files, alone: %s", g.firstAnswer(t, alone.replica))
}

// firstAnswer starts a replica, and says when its filter answered for some and for all shards.
func (g *registry) firstAnswer(t *testing.T, r *replica) string {
	t.Helper()
	r.start(t)
	ready := time.Since(r.started)
	eventually(t, patience, "an answer of the filter", func() bool { return r.checkOne(t, freshName()).byFilter() })
	some := time.Since(r.started)
	awaitAuthority(t, r)
	all := time.Since(r.started)
	return fmt.Sprintf("serves after %s, first answer of the filter after %s, all shards after %s",
		ready.Round(time.Millisecond), some.Round(time.Millisecond), all.Round(time.Millisecond))
}

// makeNames writes a file of names to be imported.
func makeNames(t testing.TB, path string, count int) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	b := bufio.NewWriter(f)
	for range count {
		_, err := fmt.Fprintf(b, "%s,user:%s\n", freshName(), rand.Text())
		require.NoError(t, err)
	}
	require.NoError(t, b.Flush())
	require.NoError(t, f.Close())
}
