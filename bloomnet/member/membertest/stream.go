package membertest

import (
	"net"
	"net/netip"
	"time"

	"github.com/hashicorp/memberlist"
)

// StreamCh is where streams arrive.
func (t *Transport) StreamCh() <-chan net.Conn { return t.streams }

// DialTimeout opens a stream.
func (t *Transport) DialTimeout(address string, timeout time.Duration) (net.Conn, error) {
	return t.DialAddressTimeout(memberlist.Address{Addr: address}, timeout)
}

// DialAddressTimeout opens a stream. To whom it does not reach it waits in vain.
func (t *Transport) DialAddressTimeout(a memberlist.Address, timeout time.Duration) (net.Conn, error) {
	to, err := netip.ParseAddrPort(a.Addr)
	if err != nil {
		return nil, err
	}
	if timeout <= 0 {
		return nil, errUnreached
	}
	var arrival chan net.Conn // nil: nobody is there
	var refusal chan struct{}
	if receiver, ok := t.network.reach(t.address, to); ok {
		arrival, refusal = receiver.streams, receiver.ended
	}
	near, far := net.Pipe()
	expired := time.NewTimer(timeout)
	defer expired.Stop()
	select {
	case arrival <- end{far, t.address}:
		return end{near, to}, nil
	case <-refusal:
	case <-expired.C:
	case <-t.ended:
	}
	return nil, errUnreached
}

// end of a stream, with the address of the other.
type end struct {
	net.Conn
	other netip.AddrPort
}

// RemoteAddr is the other end's.
func (e end) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(e.other) }
