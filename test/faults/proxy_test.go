package faults_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy is a network between those who dial an address and the one who listens behind it,
// which can be cut: then nothing comes through, and nobody is told.
type proxy struct {
	ctx     context.Context
	running sync.WaitGroup
	arrived atomic.Int64 // connections that were made to it

	mu   sync.Mutex
	open chan struct{} // closed while the network is whole
	age  int           // how often connections were lost
}

func newProxy(t testing.TB) *proxy {
	ctx, cancel := context.WithCancel(context.Background())
	p := &proxy{ctx: ctx, open: make(chan struct{})}
	close(p.open)
	t.Cleanup(func() {
		cancel()
		p.running.Wait()
	})
	return p
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = make(chan struct{})
}

func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.open)
}

// healForNew heals the network for new connections. Nothing comes through those that there
// were, for ever.
func (p *proxy) healForNew() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.age++
	p.open = make(chan struct{})
	close(p.open)
}

// gate is closed while the network is whole for connections of an age.
func (p *proxy) gate(age int) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if age < p.age {
		return nil
	}
	return p.open
}

// now is the age of connections that are made.
func (p *proxy) now() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.age
}

// pass waits until the network is whole; false when the proxy has ended.
func (p *proxy) pass(age int) bool {
	select {
	case <-p.gate(age):
		return p.ctx.Err() == nil
	case <-p.ctx.Done():
		return false
	}
}

// forward forwards connections from one address to another.
func (p *proxy) forward(t testing.TB, from, network, to string) net.Addr {
	t.Helper()
	l, err := net.Listen("tcp", from)
	require.NoError(t, err)
	context.AfterFunc(p.ctx, func() { l.Close() })
	p.running.Go(func() {
		for {
			conn, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				p.running.Go(func() { p.connect(conn, network, to) })
			}
		}
	})
	return l.Addr()
}

func (p *proxy) connect(conn net.Conn, network, to string) {
	defer conn.Close()
	age := p.now()
	p.arrived.Add(1)
	if !p.pass(age) {
		return
	}
	behind, err := net.Dial(network, to)
	if err != nil {
		return
	}
	defer behind.Close()
	stop := context.AfterFunc(p.ctx, func() { conn.Close(); behind.Close() })
	defer stop()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{conn, behind}, {behind, conn}} {
		both.Go(func() {
			p.carry(way[0], way[1], age)
			way[0].Close()
			way[1].Close()
		})
	}
	both.Wait()
}

// carry copies what comes, when the network is whole.
func (p *proxy) carry(from io.Reader, to io.Writer, age int) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if !p.pass(age) {
			return
		}
		if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
			return
		}
	}
}

// forwardPackets forwards datagrams sent to an address; what comes while the network is cut is lost.
func (p *proxy) forwardPackets(t testing.TB, from, to string) {
	t.Helper()
	in, err := net.ListenPacket("udp", from)
	require.NoError(t, err)
	out, err := net.Dial("udp", to)
	require.NoError(t, err)
	context.AfterFunc(p.ctx, func() { in.Close(); out.Close() })
	p.running.Go(func() {
		buffer := make([]byte, 64<<10)
		for p.ctx.Err() == nil {
			n, _, err := in.ReadFrom(buffer)
			select {
			case <-p.gate(p.now()):
				if err == nil {
					_, _ = out.Write(buffer[:n]) // refused when nobody listens behind it
				}
			default:
			}
		}
	})
}
