package member

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/netip"
	"time"

	"github.com/hashicorp/memberlist"
)

// sockets are memberlist's, except that streams to others end with a context:
// memberlist's Shutdown waits for none, so a join could outlive the cluster.
type sockets struct {
	*memberlist.NetTransport
	ctx context.Context
}

var _ memberlist.NodeAwareTransport = sockets{}

// bindAttempts are made where the port is free to choose: the one that TCP got may be
// taken for UDP.
const bindAttempts = 10

func listen(ctx context.Context, bind netip.AddrPort, logger *log.Logger) (sockets, error) {
	config := memberlist.NetTransportConfig{
		BindAddrs: []string{bind.Addr().String()}, BindPort: int(bind.Port()), Logger: logger,
	}
	attempts := 1
	if bind.Port() == 0 {
		attempts = bindAttempts
	}
	var err error
	for range attempts {
		var t *memberlist.NetTransport
		if t, err = memberlist.NewNetTransport(&config); err == nil {
			return sockets{t, ctx}, nil
		}
	}
	return sockets{}, fmt.Errorf("listen for gossip: %w", err)
}

// DialAddressTimeout opens a stream.
func (s sockets) DialAddressTimeout(a memberlist.Address, timeout time.Duration) (net.Conn, error) {
	dialer := net.Dialer{Timeout: timeout}
	conn, err := dialer.DialContext(s.ctx, "tcp", a.Addr)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(s.ctx, func() { _ = conn.Close() })
	return stream{conn, stop}, nil
}

// DialTimeout opens a stream.
func (s sockets) DialTimeout(address string, timeout time.Duration) (net.Conn, error) {
	return s.DialAddressTimeout(memberlist.Address{Addr: address}, timeout)
}

// stream is closed by the end of a context, unless it was before.
type stream struct {
	net.Conn
	stop func() bool
}

// Close ends the stream.
func (s stream) Close() error {
	s.stop()
	return s.Conn.Close()
}

// transport is what carries the cluster's traffic, and the address of it for others.
func (c *Cluster) transport(ctx context.Context) (memberlist.NodeAwareTransport, netip.AddrPort, error) {
	var t memberlist.NodeAwareTransport = c.options.Transport
	if t == nil {
		s, err := listen(ctx, c.options.Bind, log.New(c.journal, "", 0))
		if err != nil {
			return nil, netip.AddrPort{}, err
		}
		t = s
	}
	ip, port, err := t.FinalAdvertiseAddr("", 0)
	if err != nil {
		_ = t.Shutdown()
		return nil, netip.AddrPort{}, fmt.Errorf("find the bound address: %w", err)
	}
	bound, _ := netip.AddrFromSlice(ip)
	return t, c.advertised(netip.AddrPortFrom(bound.Unmap(), uint16(port))), nil
}

// advertised is the address bound, where Advertise does not say otherwise.
func (c *Cluster) advertised(bound netip.AddrPort) netip.AddrPort {
	a := c.options.Advertise
	if !a.IsValid() {
		return bound
	}
	if a.Port() == 0 {
		return netip.AddrPortFrom(a.Addr().Unmap(), bound.Port())
	}
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}
