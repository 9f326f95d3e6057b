package membertest

import (
	"bytes"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"
)

// Transport is one replica's end of a Network.
type Transport struct {
	network *Network
	address netip.AddrPort
	packets chan *memberlist.Packet
	streams chan net.Conn
	end     sync.Once
	ended   chan struct{}
}

var _ memberlist.NodeAwareTransport = (*Transport)(nil)

// buffer is how many packets wait for a slow receiver, as in a socket.
const buffer = 1024

var (
	errClosed    = errors.New("transport is closed")
	errUnreached = errors.New("no answer")
)

func newTransport(n *Network, address netip.AddrPort) *Transport {
	return &Transport{
		network: n, address: address,
		packets: make(chan *memberlist.Packet, buffer),
		streams: make(chan net.Conn),
		ended:   make(chan struct{}),
	}
}

// Address is the transport's own.
func (t *Transport) Address() netip.AddrPort { return t.address }

// FinalAdvertiseAddr is memberlist's question for the address.
func (t *Transport) FinalAdvertiseAddr(string, int) (net.IP, int, error) {
	return t.address.Addr().AsSlice(), int(t.address.Port()), nil
}

// WriteTo sends a packet.
func (t *Transport) WriteTo(b []byte, address string) (time.Time, error) {
	return t.WriteToAddress(b, memberlist.Address{Addr: address})
}

// WriteToAddress sends a packet; its loss is no error.
func (t *Transport) WriteToAddress(b []byte, a memberlist.Address) (time.Time, error) {
	to, err := netip.ParseAddrPort(a.Addr)
	if err != nil {
		return time.Time{}, err
	}
	if t.closed() {
		return time.Time{}, errClosed
	}
	for _, delay := range t.network.fates() {
		t.send(bytes.Clone(b), to, delay)
	}
	return time.Now(), nil
}

// send uses a timer only where there is something to wait for: in a bubble, one that is
// due at once runs in the goroutine that makes it, on a race context which all of them
// share, and the race detector crashes when two do so at the same time (Go 1.26).
func (t *Transport) send(b []byte, to netip.AddrPort, delay time.Duration) {
	if delay == 0 {
		t.deliver(b, to)
		return
	}
	time.AfterFunc(delay, func() { t.deliver(b, to) })
}

func (t *Transport) deliver(b []byte, to netip.AddrPort) {
	receiver, ok := t.network.reach(t.address, to)
	if !ok || receiver.closed() {
		return
	}
	packet := &memberlist.Packet{Buf: b, From: net.UDPAddrFromAddrPort(t.address), Timestamp: time.Now()}
	select {
	case receiver.packets <- packet:
	default:
	}
}

// PacketCh is where packets arrive.
func (t *Transport) PacketCh() <-chan *memberlist.Packet { return t.packets }

// Shutdown ends the transport: streams to it are refused at once, as by a living host.
func (t *Transport) Shutdown() error {
	t.end.Do(func() { close(t.ended) })
	return nil
}

func (t *Transport) closed() bool {
	select {
	case <-t.ended:
		return true
	default:
		return false
	}
}
