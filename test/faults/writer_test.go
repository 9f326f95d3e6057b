package faults_test

import (
	"context"
	"crypto/rand"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A commit that was acknowledged is known everywhere although its writer is killed, and was
// cut off from the others before: by nobody's help but the feed's.
func TestAWriterIsKilledBeforeAnythingLeavesIt(t *testing.T) {
	t.Parallel()
	g := sharedRegistry(t)
	peers := g.fleet(t, 3, proxied)
	w := newWitness(t, g.staleness)
	w.watch(t, replicasOf(peers)...)
	writer, others := peers[0], replicasOf(peers[1:])
	for range rounds(1, 20) {
		cut(peers...)
		for _, name := range writeAndDie(t, w, writer) {
			took := w.requireKnown(t, name, others...)
			t.Logf("known everywhere %s after the acknowledgement", took.Round(time.Millisecond))
		}
		heal(peers...)
		writer.start(t)
	}
}

// writeAndDie reserves names at once, kills the writer with the first acknowledgement, and
// gives the names that were acknowledged.
func writeAndDie(t testing.TB, w *witness, writer *peer) (names []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	acknowledged := make(chan string)
	var writing sync.WaitGroup
	for range 8 {
		writing.Go(func() {
			name := freshName()
			if token, err := writer.reserve(ctx, name, rand.Text()); err == nil && token != "" {
				w.held(name, time.Now())
				acknowledged <- name
			}
		})
	}
	go func() { // ends with the last of them, for which the loop waits
		writing.Wait()
		close(acknowledged)
	}()
	for name := range acknowledged {
		writer.kill()
		names = append(names, name)
	}
	require.NotEmpty(t, names, "names that were acknowledged")
	return names
}
