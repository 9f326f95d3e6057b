package transfer_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/transfer"
)

// A client that proves nothing gets nothing but the handshake: no certificate, one with
// the key of the cluster but without its private half, an older TLS, no TLS.
func TestNothingIsSaidToStrangers(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*tls.Config){
		"no certificate": func(c *tls.Config) { c.Certificates = nil },
		"stolen name":    func(c *tls.Config) { c.Certificates[0].PrivateKey = ed25519.NewKeyFromSeed(make([]byte, 32)) },
		"another key":    func(c *tls.Config) { c.Certificates[0] = foreignCertificate(t) },
		"TLS 1.2":        func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS12, tls.VersionTLS12 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, me := newNetwork(), self(t, secret)
				s, end := serve(t, n.listen("a"), me, newShelf().open, nil)
				raw, err := n.dial(t.Context(), "a")
				require.NoError(t, err)
				defer raw.Close()
				config := me.Identity.Config()
				change(config)
				conn := tls.Client(raw, config)
				if conn.Handshake() == nil {
					b, err := io.ReadAll(conn)
					require.Error(t, err)
					require.Empty(t, b)
				}
				end()
				require.EqualValues(t, 1, s.Counters.Untrusted.Load())
			})
		})
	}
}

func foreignCertificate(t *testing.T) tls.Certificate {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Unix(1<<33, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}
}

// What a stranger sends is not read for ever, and not waited for.
func TestStrangersAreBounded(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(net.Conn) (sent int){
		"silence": func(c net.Conn) int { n, _ := c.Read(make([]byte, 1)); return n },
		"drops": func(c net.Conn) (sent int) {
			for b := []byte{22}; ; sent++ {
				if _, err := c.Write(b); err != nil {
					return sent
				}
				time.Sleep(time.Second) // of the bubble
			}
		},
		// The handshake message says that it is 64 KiB long; its records go on and on.
		"a flood": func(c net.Conn) (sent int) {
			record := append([]byte{22, 3, 1, 4, 0, 1, 0, 255, 255}, make([]byte, 1020)...)
			for ; ; sent += len(record) {
				if _, err := c.Write(record); err != nil {
					return sent
				}
				copy(record[5:], make([]byte, 4))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork()
				s, end := serve(t, n.listen("a"), self(t, secret), newShelf().open, nil)
				raw, err := n.dial(t.Context(), "a")
				require.NoError(t, err)
				defer raw.Close()
				began := time.Now()
				require.LessOrEqual(t, send(raw), 17<<10)
				require.LessOrEqual(t, time.Since(began), 6*time.Second)
				end()
				require.EqualValues(t, 1, s.Counters.Untrusted.Load())
			})
		})
	}
}

func TestPlacesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		s, _ := serve(t, n.listen("a"), me, newShelf(blob("tag", 9)).open, func(o *transfer.ServerOptions) {
			o.Strangers, o.Peers = 2, 1
		})
		p := puller(t, n, me, once)
		pull := func() error {
			_, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
			return err
		}
		var strangers []net.Conn
		for range 2 {
			c, err := n.dial(t.Context(), "a")
			require.NoError(t, err)
			strangers = append(strangers, c)
		}
		synctest.Wait()
		require.Error(t, pull(), "all places of strangers are taken")
		require.EqualValues(t, 1, s.Counters.Crowded.Load())
		strangers[0].Close()
		synctest.Wait()
		require.NoError(t, pull())
		second := puller(t, n, me, once)
		_, err := second.Pull(t.Context(), []string{"a"}, 0, nil)
		require.Error(t, err, "the only place of a peer is taken")
		require.EqualValues(t, 2, s.Counters.Crowded.Load())
		p.Close()
		synctest.Wait()
		_, err = second.Pull(t.Context(), []string{"a"}, 0, nil)
		require.NoError(t, err)
		strangers[1].Close()
	})
}
