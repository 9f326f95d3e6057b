package transfer

import (
	"math/rand/v2"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Addresses come and go with replicas, for as long as a puller lives.
func TestPeersWithoutConnectionsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuller(t)
		defer p.Close()
		known := func() int {
			p.mu.Lock()
			defer p.mu.Unlock()
			return len(p.peers)
		}

		at := p.enter("a")
		require.Same(t, at, p.enter("a"))
		p.exit("a", at)
		require.Equal(t, 1, known())
		p.exit("a", at)
		require.Zero(t, known())

		at = p.enter("a")
		near, far := net.Pipe()
		p.keep("a", at, &link{raw: near})
		p.exit("a", at)
		require.Equal(t, 1, known())
		time.Sleep(p.options.IdleTimeout) // of the bubble
		synctest.Wait()
		require.Zero(t, known())
		_, err := far.Write([]byte{1})
		require.Error(t, err, "closed")
	})
}

// A pull that ends while the puller is closed keeps nothing.
func TestAClosedPullerKeepsNoConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuller(t)
		p.Close()
		near, far := net.Pipe()
		at := p.enter("a")
		p.keep("a", at, &link{raw: near})
		require.Empty(t, at.idle)
		_, err := far.Write([]byte{1})
		require.Error(t, err, "closed")
	})
}

func newPuller(t *testing.T) *Puller {
	t.Helper()
	identity, err := NewIdentity(make([]byte, 32))
	require.NoError(t, err)
	o := DefaultPullerOptions()
	o.Random = rand.Float64
	p, err := NewPuller(Self{Identity: identity, Fingerprint: make([]byte, 8), Replica: "r"}, o)
	require.NoError(t, err)
	return p
}
