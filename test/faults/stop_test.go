package faults_test

import (
	"crypto/rand"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stopLimit is longer than the bound that a stop has, which is 30 s.
const stopLimit = 45 * time.Second

// silentDatabases is a registry whose databases are behind a network that can be cut, after
// which they are silent and not gone.
func silentDatabases(t testing.TB) (*registry, *proxy) {
	t.Helper()
	g, way := sharedRegistry(t), newProxy(t)
	behind := *g
	behind.dsns = map[string]string{}
	for name, dsn := range g.dsns {
		address := way.forward(t, "127.0.0.1:0", "unix", socketOf(t, dsn))
		behind.dsns[name] = throughTCP(dsn, address.String())
	}
	return &behind, way
}

// requireEnd has a process end by a signal, in order and in time.
func requireEnd(t testing.TB, r *replica) {
	t.Helper()
	begun := time.Now()
	ended := make(chan struct{})
	go func() { r.end(syscall.SIGTERM); close(ended) }()
	select {
	case <-ended:
	case <-time.After(stopLimit):
		require.NoError(t, r.cmd.Process.Kill())
		<-ended
		require.FailNow(t, "it does not end")
	}
	t.Logf("ended %s after the signal", time.Since(begun).Round(time.Millisecond))
	require.Zero(t, r.cmd.ProcessState.ExitCode(), r.log.String())
}

// A replica stops in order though its databases are silent, and whoever waits for them is told.
func TestAStopWhileDatabasesAreSilent(t *testing.T) {
	t.Parallel()
	g, way := silentDatabases(t)
	for _, layers := range [][]string{nil, {"--no-filter"}} {
		r := g.replica(t, "stopped", layers...).start(t)
		_, err := r.reserve(t.Context(), freshName(), rand.Text())
		require.NoError(t, err)
		way.cut()
		waiting, begun := sync.WaitGroup{}, make(chan struct{}, 8)
		for range cap(begun) {
			waiting.Go(func() {
				begun <- struct{}{}
				_, err := r.reserve(t.Context(), freshName(), rand.Text())
				if err == nil {
					t.Error("a name is reserved while its database is silent")
				}
			})
		}
		for range cap(begun) {
			<-begun
		}
		requireEnd(t, r)
		waiting.Wait()
		way.heal()
	}
}

// A replica that waits for silent databases hears a signal.
func TestASignalWhileAStartWaitsForDatabases(t *testing.T) {
	t.Parallel()
	g, way := silentDatabases(t)
	way.cut()
	r := g.replica(t, "starting")
	r.launch(t)
	eventually(t, patience, "a connection that waits", func() bool { return way.arrived.Load() > 0 })
	requireEnd(t, r)
	way.heal()
}
