package faults_test

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// addresses counts the addresses of 127.0.0.0/8 that were given away.
var addresses atomic.Int64

// freshAddress is one that nobody else of this process uses, and hardly anybody of others.
func freshAddress() string {
	n := addresses.Add(1)
	return fmt.Sprintf("127.%d.%d.%d", 1+os.Getpid()%250, n/250, 1+n%250)
}

// freePort is one that nobody listens on at an address.
func freePort(t testing.TB, address string) string {
	t.Helper()
	l, err := net.Listen("tcp", address+":0")
	require.NoError(t, err)
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// links says how the others reach a replica.
type links int

const (
	direct  links = iota
	proxied       // through networks that can be cut
)

// peer is a replica of a fleet.
type peer struct {
	*replica
	gossip, transfer string // where the others reach it
	// streams and datagrams are the networks before it; nil when direct.
	streams, datagrams *proxy
}

// peer prepares a replica that shares its filter with others, and its way to be reached.
func (g *registry) peer(t testing.TB, id string, l links, join []*peer, flags ...string) *peer {
	t.Helper()
	own := freshAddress()
	reached, gossip, transfer := own, freePort(t, own), freePort(t, own)
	p := new(peer)
	if l == proxied {
		reached, p.streams, p.datagrams = freshAddress(), newProxy(t), newProxy(t)
		p.streams.forward(t, reached+":"+gossip, "tcp", own+":"+gossip)
		p.streams.forward(t, reached+":"+transfer, "tcp", own+":"+transfer)
		p.datagrams.forwardPackets(t, reached+":"+gossip, own+":"+gossip)
	}
	p.gossip, p.transfer = reached+":"+gossip, reached+":"+transfer
	flags = append([]string{
		"--gossip-key-file", g.file(gossipKeys), "--gossip", own + ":" + gossip, "--transfer", own + ":" + transfer, "--advertise", reached,
	}, flags...)
	for _, other := range join {
		flags = append(flags, "--join", other.gossip)
	}
	p.replica = g.replica(t, id, flags...)
	return p
}

// fleet starts replicas that share their filters, and waits until each answers from its own.
func (g *registry) fleet(t testing.TB, count int, l links, flags ...string) []*peer {
	t.Helper()
	var peers []*peer
	for i := range count {
		p := g.peer(t, fmt.Sprintf("r%d", i), l, peers, flags...)
		p.start(t)
		peers = append(peers, p)
	}
	for _, p := range peers {
		awaitAuthority(t, p.replica)
		t.Logf("%s answers from its filter %s after its start", p.id, time.Since(p.started).Round(time.Millisecond))
	}
	return peers
}

// writer starts a replica that gives names away and tells nobody: no hint hides from a
// witness what the others fail to read.
func (g *registry) writer(t testing.TB) *replica {
	t.Helper()
	return g.replica(t, "writer", "--no-filter").start(t)
}

// awaitAuthority waits until the filter of a replica answers.
func awaitAuthority(t testing.TB, r *replica) {
	t.Helper()
	eventually(t, patience, "a filter that answers", func() bool { return r.authoritative(t.Context()) })
}

// replicasOf are the replicas of peers.
func replicasOf(peers []*peer) []*replica {
	list := make([]*replica, len(peers))
	for i, p := range peers {
		list[i] = p.replica
	}
	return list
}

// cut cuts replicas off from one another.
func cut(peers ...*peer) {
	for _, p := range peers {
		p.streams.cut()
		p.datagrams.cut()
	}
}

func heal(peers ...*peer) {
	for _, p := range peers {
		p.streams.heal()
		p.datagrams.heal()
	}
}
