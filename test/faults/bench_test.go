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

// manyNames is how many names are reserved for one figure.
const manyNames = 200

// How soon all of three replicas know of a reserve, from its acknowledgement on.
func BenchmarkHowSoonAllKnowAName(b *testing.B) {
	peers := sharedRegistry(b).fleet(b, 3, proxied)
	b.Run("with-hints", func(b *testing.B) { howSoon(b, peers) })
	for _, p := range peers {
		p.datagrams.cut()
	}
	b.Run("without-hints", func(b *testing.B) { howSoon(b, peers) })
}

func howSoon(b *testing.B, peers []*peer) {
	w := newWitness(b, bound())
	var took []time.Duration
	for b.Loop() {
		for i := range manyNames {
			name, writer := freshName(), peers[i%len(peers)]
			for _, p := range peers { // warm connections
				p.checkOne(b, freshName())
			}
			writer.hold(b, w, name)
			took = append(took, awaitAll(b, w, name, peers))
		}
	}
	b.ReportMetric(0, "ns/op")
	for _, percent := range []int{50, 99, 100} {
		b.ReportMetric(float64(percentile(took, percent).Microseconds())/1000, fmt.Sprintf("ms-p%d", percent))
	}
}

// percentile is the duration that so many of a hundred do not pass.
func percentile(list []time.Duration, percent int) time.Duration {
	slices.Sort(list)
	return list[(len(list)-1)*percent/100]
}

// awaitAll asks all replicas at once, without pauses, until all know a name.
func awaitAll(t testing.TB, w *witness, name string, peers []*peer) time.Duration {
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

// registered is how many names are in the registry when starts are measured.
const registered = 300_000

// How soon a replica answers from its filter after its start.
func BenchmarkHowSoonAReplicaAnswers(b *testing.B) {
	g := sharedRegistry(b)
	file := filepath.Join(g.dir, "names")
	makeNames(b, file, registered)
	g.run(b, "import", append(g.databases(), file)...)
	first := g.peer(b, "first", direct, nil)
	second := g.peer(b, "second", direct, []*peer{first})
	b.Run("from-tables", func(b *testing.B) { firstAnswers(b, first.replica, true) })
	b.Run("from-files-alone", func(b *testing.B) { firstAnswers(b, first.replica, false) })
	b.Run("from-another-replica", func(b *testing.B) {
		first.start(b)
		firstAnswers(b, second.replica, true)
		first.stop(b)
	})
	b.Run("from-files", func(b *testing.B) {
		first.start(b)
		firstAnswers(b, second.replica, false)
		first.stop(b)
	})
}

// firstAnswers starts a replica, with the files of its last run or without any, and says when
// it served, and when its filter answered for some and for all shards.
func firstAnswers(b *testing.B, r *replica, forget bool) {
	var ready, some, all []time.Duration
	r.start(b)
	awaitAuthority(b, r)
	r.stop(b)
	for b.Loop() {
		if forget {
			require.NoError(b, os.RemoveAll(r.dataDir))
		}
		r.start(b)
		ready = append(ready, time.Since(r.started))
		eventually(b, patience, "an answer of the filter", func() bool { return r.checkOne(b, freshName()).byFilter() })
		some = append(some, time.Since(r.started))
		awaitAuthority(b, r)
		all = append(all, time.Since(r.started))
		r.stop(b)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(percentile(ready, 50).Seconds(), "s-serving")
	b.ReportMetric(percentile(some, 50).Seconds(), "s-first-answer")
	b.ReportMetric(percentile(all, 50).Seconds(), "s-all-shards")
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
