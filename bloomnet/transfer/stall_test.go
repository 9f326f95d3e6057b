package transfer_test

import (
	"context"
	"crypto/tls"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/transfer/wire"
)

func TestAStalledServer(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]func(conn *tls.Conn){
		"does not listen": func(*tls.Conn) { time.Sleep(time.Minute) }, // of the bubble
		"says nothing":    func(c *tls.Conn) { hearRequest(c) },
		"stops after a head": func(c *tls.Conn) {
			hearRequest(c)
			wire.Write(c, wire.KindHead, wire.Head{Length: 9}.Append(nil))
		},
		"stops in the middle": func(c *tls.Conn) {
			hearRequest(c)
			c.Write([]byte{byte(wire.KindHead), 9})
		},
		"drips": func(c *tls.Conn) {
			hearRequest(c)
			wire.Write(c, wire.KindHead, wire.Head{Length: 900}.Append(nil))
			for _, b := range append([]byte{byte(wire.KindData), 100, 0, 0, 0}, make([]byte, 100)...) {
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(time.Second) // of the bubble
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, me := newNetwork(), self(t, secret)
				impostor(t, n.listen("a"), me, func(conn *tls.Conn) {
					say(conn)
					hearRequest(conn) // until the client closes
				})
				began := time.Now()
				p := puller(t, n, me, once)
				_, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
				require.ErrorIs(t, err, os.ErrDeadlineExceeded)
				require.Equal(t, 5*time.Second, time.Since(began))
				require.EqualValues(t, 1, p.Counters.Failed.Load())
			})
		})
	}
}

func TestAServerThatNeverGreets(t *testing.T) {
	t.Parallel()
	me := self(t, secret)
	for name, greet := range map[string]func(net.Conn) net.Conn{
		"no handshake": func(c net.Conn) net.Conn { return c },
		"no hello":     func(c net.Conn) net.Conn { return tls.Server(c, me.Identity.Config()) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork()
				l := n.listen("a")
				go func() {
					raw, err := l.Accept()
					require.NoError(t, err)
					defer raw.Close()
					greet(raw).Read(make([]byte, 1))
					<-l.closed
				}()
				defer l.Close()
				began := time.Now()
				_, err := puller(t, n, me, once).Pull(t.Context(), []string{"a"}, 0, nil)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.Equal(t, 5*time.Second, time.Since(began))
			})
		})
	}
}
