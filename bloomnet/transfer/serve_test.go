package transfer_test

import (
	"crypto/tls"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/transfer"
	"namegate/bloomnet/transfer/wire"
)

// flaky is a listener that has no file descriptor at first.
type flaky struct {
	*listener
	fails int
}

func (f *flaky) Accept() (net.Conn, error) {
	if f.fails--; f.fails >= 0 {
		return nil, errors.New("too many open files")
	}
	return f.listener.Accept()
}

func TestAListenerThatFailsForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me, told := newNetwork(), self(t, secret), 0
		l := &flaky{n.listen("a"), 10}
		serve(t, l, me, newShelf(blob("tag", 9)).open, func(o *transfer.ServerOptions) {
			o.Report = func(error) { told++ }
		})
		began := time.Now()
		_, err := puller(t, n, me, nil).Pull(t.Context(), []string{"a"}, 0, nil)
		require.NoError(t, err)
		require.Equal(t, time.Second, time.Since(began))
		require.Equal(t, 10, told)
	})
}

func TestServeFailsWithItsListener(t *testing.T) {
	t.Parallel()
	s, err := transfer.NewServer(self(t, secret), newShelf().open, transfer.DefaultServerOptions())
	require.NoError(t, err)
	l := newNetwork().listen("a")
	l.Close()
	require.True(t, errors.Is(s.Serve(t.Context(), l), net.ErrClosed))
}

// client is a client with the right key that does as a test says.
func client(t *testing.T, n *network, address string, me transfer.Self) *tls.Conn {
	t.Helper()
	raw, err := n.dial(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { raw.Close() })
	conn := tls.Client(raw, me.Identity.Config())
	_, _, err = wire.Read(conn, make([]byte, wire.MaxMessage))
	require.NoError(t, err)
	hello := wire.Hello{Version: wire.Version, Fingerprint: me.Fingerprint, Replica: me.Replica}
	require.NoError(t, wire.Write(conn, wire.KindHello, hello.Append(nil)))
	return conn
}

// Requests that are none end the connection.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]func(*tls.Conn){
		"another kind":   func(c *tls.Conn) { wire.Write(c, wire.KindHead, wire.Request{}.Append(nil)) },
		"half a request": func(c *tls.Conn) { wire.Write(c, wire.KindRequest, []byte{1}) },
		"too long":       func(c *tls.Conn) { wire.Write(c, wire.KindRequest, make([]byte, 1000)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, me, held := newNetwork(), self(t, secret), newShelf(blob("tag", 9))
				s, end := serve(t, n.listen("a"), me, held.open, nil)
				c := client(t, n, "a", me)
				say(c) // may fail, as the server does not read to its end
				_, _, err := wire.Read(c, make([]byte, wire.MaxMessage))
				require.Error(t, err)
				end()
				require.EqualValues(t, 1, s.Counters.Damaged.Load())
				require.Zero(t, held.opens)
			})
		})
	}
}

// Who has proved its key may go on for as long as it likes.
func TestManyRequestsOverOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		serve(t, n.listen("a"), me, newShelf().open, nil)
		p := puller(t, n, me, once)
		for range 500 {
			_, err := p.Pull(t.Context(), []string{"a"}, 0, make([]byte, wire.MaxTag))
			require.ErrorIs(t, err, transfer.ErrNotHeld)
		}
		require.Len(t, n.dials, 1)
	})
}

// A client that says it has more of a blob than there is gets it from its begin.
func TestAResumeBehindTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		serve(t, n.listen("a"), me, newShelf(blob("tag", 9)).open, nil)
		c := client(t, n, "a", me)
		require.NoError(t, wire.Write(c, wire.KindRequest, wire.Request{Resume: []byte("tag"), Offset: 10}.Append(nil)))
		kind, payload, err := wire.Read(c, make([]byte, wire.MaxMessage))
		require.NoError(t, err)
		require.Equal(t, wire.KindHead, kind)
		require.Equal(t, wire.Head{Length: 9, Tag: []byte("tag")}.Append(nil), payload)
	})
}

// Serve ends when its context does, whatever is under way.
func TestServeEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		_, end := serve(t, n.listen("a"), me, newShelf(blob("tag", 1<<20)).open, nil)
		_, err := n.dial(t.Context(), "a") // says nothing
		require.NoError(t, err)
		client(t, n, "a", me) // asks for nothing
		c := client(t, n, "a", me)
		require.NoError(t, wire.Write(c, wire.KindRequest, wire.Request{}.Append(nil))) // takes nothing
		synctest.Wait()
		began := time.Now()
		end()
		require.Zero(t, time.Since(began))
	})
}
