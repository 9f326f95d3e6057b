package bloomnet_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"namegate/bloomnet"
	"namegate/bloomnet/member/membertest"
)

// wires are the streams of transfers in memory, beside a network of gossip.
type wires struct {
	gossip *membertest.Network
	topics map[uint8]func([]byte) // of the next replica that joins
	log    *slog.Logger           // of it too

	mu        sync.Mutex
	listeners map[string]*listener
	cut       bool
}

func newWires() *wires {
	return &wires{gossip: membertest.New(1), log: discard, listeners: map[string]*listener{}}
}

// listener accepts connections that are made within the process.
type listener struct {
	address netip.AddrPort
	conns   chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return net.TCPAddrFromAddrPort(l.address) }

// listen makes a listener at an address of its own.
func (w *wires) listen(host netip.Addr) *listener {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := &listener{address: netip.AddrPortFrom(host, 7947), conns: make(chan net.Conn), closed: make(chan struct{})}
	w.listeners[l.address.String()] = l
	return l
}

func (w *wires) dial(ctx context.Context, address string) (net.Conn, error) {
	w.mu.Lock()
	l, cut := w.listeners[address], w.cut
	w.mu.Unlock()
	if l == nil || cut {
		return nil, fmt.Errorf("nobody at %s", address)
	}
	mine, its := net.Pipe()
	select {
	case l.conns <- its:
		return mine, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// cutOff has no stream begin, or ends that.
func (w *wires) cutOff(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
}

var gossipKey = []byte("0123456789abcdef0123456789abcdef")

// replica is one of a fleet, with its own view of the databases.
type replica struct {
	*bloomnet.Net
	id     string
	gossip netip.AddrPort
}

// join starts a replica of the fleet, which knows the addresses of some others.
func (w *wires) join(t *testing.T, id string, fingerprint [8]byte, others []replica, sources ...bloomnet.Source) replica {
	t.Helper()
	transport := w.gossip.Transport()
	address := transport.Address()
	l := w.listen(address.Addr())
	fleet := &bloomnet.FleetOptions{
		Replica: id, Boot: uint64(time.Now().UnixNano()), Fleet: "test", Keys: [][]byte{gossipKey},
		Gossip: address, AdvertiseGossip: address, Transfer: l, AdvertiseTransfer: l.address,
		Dial: w.dial, Transport: transport,
	}
	for _, o := range others {
		fleet.Join = append(fleet.Join, o.gossip.String())
	}
	return replica{startIn(t, fleet, w.topics, w.log, fingerprint, sources...), id, address}
}
