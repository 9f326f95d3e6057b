package transfer_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"namegate/bloomnet/transfer"
	"namegate/bloomnet/transfer/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	secret      = bytes.Repeat([]byte{1}, 32)
	other       = bytes.Repeat([]byte{2}, 32)
	fingerprint = []byte("fingerprint")
)

// network connects by pipes, which hold nothing: a write waits for its reader.
type network struct {
	mu        sync.Mutex
	listeners map[string]*listener
	dials     []string
	wrap      func(net.Conn) net.Conn // around the client's end
}

func newNetwork() *network {
	return &network{listeners: map[string]*listener{}, wrap: func(c net.Conn) net.Conn { return c }}
}

type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (n *network) listen(address string) *listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	n.listeners[address] = l
	return l
}

func (n *network) dial(ctx context.Context, address string) (net.Conn, error) {
	n.mu.Lock()
	l := n.listeners[address]
	n.dials = append(n.dials, address)
	n.mu.Unlock()
	if l == nil {
		return nil, errors.New("nobody listens")
	}
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return n.wrap(near), nil
	case <-l.closed:
		return nil, errors.New("nobody listens")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

func self(t testing.TB, secrets ...[]byte) transfer.Self {
	t.Helper()
	identity, err := transfer.NewIdentity(secrets...)
	require.NoError(t, err)
	return transfer.Self{Identity: identity, Fingerprint: fingerprint, Replica: "replica"}
}

// shelf is blobs by number.
type shelf struct {
	mu    sync.Mutex
	blobs map[uint32]transfer.Blob
	opens int
}

func newShelf(blobs ...transfer.Blob) *shelf {
	s := &shelf{blobs: map[uint32]transfer.Blob{}}
	for i, b := range blobs {
		s.blobs[uint32(i)] = b
	}
	return s
}

func (s *shelf) open(number uint32, have []byte) (transfer.Blob, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opens++
	b, held := s.blobs[number]
	switch {
	case !held:
		return transfer.Blob{}, transfer.ErrNotHeld
	case bytes.Equal(b.Tag, have):
		return transfer.Blob{}, transfer.ErrNotNewer
	}
	return b, nil
}

// blob has bytes that tell of their places.
func blob(tag string, length int) transfer.Blob {
	data := make([]byte, length)
	for i := range data {
		data[i] = byte(i * 7 >> (i % 5))
	}
	return transfer.Blob{Tag: []byte(tag), Data: data}
}

// serve runs a server until the returned function is called.
func serve(t testing.TB, l net.Listener, me transfer.Self, open transfer.OpenFunc, change func(*transfer.ServerOptions)) (*transfer.Server, func()) {
	t.Helper()
	o := transfer.DefaultServerOptions()
	if change != nil {
		change(&o)
	}
	s, err := transfer.NewServer(me, open, o)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	end := sync.OnceFunc(func() {
		stop()
		require.NoError(t, <-ended)
	})
	t.Cleanup(end)
	return s, end
}

func puller(t testing.TB, n *network, me transfer.Self, change func(*transfer.PullerOptions)) *transfer.Puller {
	t.Helper()
	o := transfer.DefaultPullerOptions()
	o.Dial, o.Random = n.dial, func() float64 { return 0.5 }
	if change != nil {
		change(&o)
	}
	p, err := transfer.NewPuller(me, o)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// once asks each peer once only.
func once(o *transfer.PullerOptions) { o.Rounds = 1 }

// impostor is a peer with the right key that says what a test has it say, after the
// greeting, on each connection.
func impostor(t testing.TB, l *listener, me transfer.Self, script func(conn *tls.Conn)) {
	t.Helper()
	var running sync.WaitGroup
	running.Go(func() {
		for {
			raw, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer raw.Close()
				conn := tls.Server(raw, me.Identity.Config())
				hello := wire.Hello{Version: wire.Version, Fingerprint: me.Fingerprint, Replica: me.Replica}
				if wire.Write(conn, wire.KindHello, hello.Append(nil)) != nil {
					return
				}
				if _, _, err := wire.Read(conn, make([]byte, wire.MaxMessage)); err == nil {
					script(conn)
				}
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		running.Wait()
	})
}

// hearRequest is what an impostor was asked for.
func hearRequest(conn *tls.Conn) (wire.Request, error) {
	_, payload, err := wire.Read(conn, make([]byte, wire.MaxMessage))
	if err != nil {
		return wire.Request{}, fmt.Errorf("hear request: %w", err)
	}
	return wire.ParseRequest(payload)
}
