package faults_test

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"io"
	mathrand "math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// growthLimit is how much more memory a replica may have after more rubbish than after some.
const growthLimit = 64 << 20

// Whoever has no key reaches nothing by what he sends to a replica's ports.
func TestStrangersSendRubbish(t *testing.T) {
	t.Parallel()
	g := sharedRegistry(t)
	peers := g.fleet(t, 2, direct)
	target := peers[0]
	w := newWitness(t, g.staleness)
	w.watch(t, replicasOf(peers)...)
	stranger := g.stranger(t, peers)
	closed := dialSilently(t, target.gossip, target.transfer)
	warm := rounds(5, 20) // then its heap has the size that such traffic takes
	before := 0
	for round := range 2 * warm {
		if round == warm {
			before = target.memory(t)
		}
		sendRubbish(t, target)
		for _, p := range peers {
			require.False(t, hears(t, stranger, p.replica), "a stranger's hint came through")
		}
		target.hold(t, w, freshName())
	}
	grown := target.memory(t) - before
	t.Logf("memory grew from %d by %d MB", before>>20, grown>>20)
	require.Less(t, grown, growthLimit)
	target.log.await(t, "memberlist")
	closed()
	requireHearing(t, peers[1], target.replica)
	requireHearing(t, target, peers[1].replica)
	late := g.peer(t, "late", direct, peers[:1])
	late.start(t)
	awaitAuthority(t, late.replica)
}

// stranger starts a replica of the same registry with another key of gossip.
func (g *registry) stranger(t testing.TB, join []*peer) *peer {
	t.Helper()
	key := filepath.Join(t.TempDir(), gossipKeys)
	require.NoError(t, os.WriteFile(key, []byte(rand.Text()+rand.Text()), 0o600))
	p := g.peer(t, "stranger", direct, join, "--gossip-key-file", key)
	p.start(t)
	awaitAuthority(t, p.replica)
	return p
}

// dialSilently opens connections on which nothing is sent. The function given requires that
// the other side closes them.
func dialSilently(t testing.TB, addresses ...string) (closed func()) {
	t.Helper()
	var open []net.Conn
	for _, address := range addresses {
		for range 50 {
			conn, err := net.Dial("tcp", address)
			require.NoError(t, err)
			require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
			open = append(open, conn)
		}
	}
	return func() {
		for _, conn := range open {
			_, err := io.Copy(io.Discard, conn)
			require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "a connection is kept on which nothing is sent")
			require.NoError(t, conn.Close())
		}
	}
}

// sendRubbish sends some to all ports of a replica.
func sendRubbish(t testing.TB, target *peer) {
	t.Helper()
	sendDatagrams(t, target.gossip, 2000)
	sendStreams(t, target.gossip, 50)
	sendStreams(t, target.transfer, 50)
}

// rubbish is some bytes, the first one as low as those of message types are, sometimes.
func rubbish(most int) []byte {
	b := make([]byte, 1+mathrand.IntN(most))
	_, _ = rand.Read(b) // never fails
	if mathrand.IntN(2) == 0 {
		b[0] %= 16
	}
	return b
}

func sendDatagrams(t testing.TB, address string, count int) {
	t.Helper()
	conn, err := net.Dial("udp", address)
	require.NoError(t, err)
	defer conn.Close()
	for range count {
		_, err := conn.Write(rubbish(1400))
		require.NoError(t, err)
	}
}

// sendStreams sends rubbish on connections, every other time within TLS, and requires that
// the other side closes them.
func sendStreams(t testing.TB, address string, count int) {
	t.Helper()
	var sending sync.WaitGroup
	for i := range count {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
		if i%2 == 0 {
			conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
		}
		sending.Go(func() {
			defer conn.Close()
			_, _ = conn.Write(rubbish(1 << 16)) // it may be closed before it is all sent
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s keeps a connection that sent rubbish", address)
			}
		})
	}
	sending.Wait()
}
