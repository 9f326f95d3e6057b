package transfer_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io"
	"math/big"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/transfer"
	"namegate/bloomnet/transfer/wire"
)

// Replicas of several releases derive the same key from a secret. The golden one was
// computed from RFC 5869 and RFC 8032 by other code.
func TestKeysAreDerivedTheSameForEver(t *testing.T) {
	t.Parallel()
	identity, err := transfer.NewIdentity(secret)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(identity.Config().Certificates[0].Certificate[0])
	require.NoError(t, err)
	key := certificate.PublicKey.(ed25519.PublicKey)
	require.Equal(t, "b8f4b65d86c066f078e25a355a99973229de732fcf10b57c6d3733e7cadb4690", hex.EncodeToString(key))
}

func TestBadSecretsAreRefused(t *testing.T) {
	t.Parallel()
	_, err := transfer.NewIdentity()
	require.Error(t, err)
	_, err = transfer.NewIdentity(secret, secret[:15])
	require.Error(t, err)
}

// Each step of a rotation, seen from one replica: what it knows, and what the other does.
func TestSecrets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		client, server [][]byte
		trusted        bool
	}{
		"both the same":         {[][]byte{secret}, [][]byte{secret}, true},
		"new one is made known": {[][]byte{secret}, [][]byte{secret, other}, true},
		"new one is used":       {[][]byte{other, secret}, [][]byte{secret, other}, true},
		"old one is dropped":    {[][]byte{other}, [][]byte{other, secret}, true},
		"unknown client":        {[][]byte{other, secret}, [][]byte{secret}, false},
		"unknown server":        {[][]byte{secret}, [][]byte{other, secret}, false},
		"strangers":             {[][]byte{secret}, [][]byte{other}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork()
				s, end := serve(t, n.listen("a"), self(t, c.server...), newShelf(blob("tag", 9)).open, nil)
				p := puller(t, n, self(t, c.client...), nil)
				began := time.Now()
				_, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
				if c.trusted {
					require.NoError(t, err)
					return
				}
				require.ErrorIs(t, err, transfer.ErrUntrusted)
				require.Zero(t, time.Since(began), "not asked again")
				end()
				require.EqualValues(t, 1, s.Counters.Untrusted.Load())
			})
		})
	}
}

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

func TestForeignPeersAreRefusedAndToldOfOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		var told []error
		s, end := serve(t, n.listen("a"), me, newShelf(blob("tag", 9)).open, func(o *transfer.ServerOptions) {
			o.Report = func(err error) { told = append(told, err) }
		})
		foreign := me
		foreign.Fingerprint, foreign.Replica = []byte("another one"), "stranger"
		p := puller(t, n, foreign, nil)
		for range 3 {
			_, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
			mismatch := (*transfer.MismatchError)(nil)
			require.ErrorAs(t, err, &mismatch)
			require.Equal(t, transfer.MismatchError{Version: wire.Version, Fingerprint: fingerprint, Replica: "replica"}, *mismatch)
		}
		end()
		require.EqualValues(t, 3, s.Counters.Foreign.Load())
		require.Equal(t, []error{&transfer.MismatchError{Version: wire.Version, Fingerprint: []byte("another one"), Replica: "stranger"}}, told)
	})
}

// A client of another version learns which one the server speaks, and the server which
// one it does.
func TestAnotherVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		var told error
		_, end := serve(t, n.listen("a"), me, newShelf().open, func(o *transfer.ServerOptions) {
			o.Report = func(err error) { told = err }
		})
		raw, err := n.dial(t.Context(), "a")
		require.NoError(t, err)
		defer raw.Close()
		conn := tls.Client(raw, me.Identity.Config())
		_, payload, err := wire.Read(conn, make([]byte, wire.MaxMessage))
		require.NoError(t, err)
		hello, err := wire.ParseHello(payload)
		require.NoError(t, err)
		require.Equal(t, wire.Hello{Version: wire.Version, Fingerprint: fingerprint, Replica: "replica"}, hello)
		require.NoError(t, wire.Write(conn, wire.KindHello, []byte("bntr\x02\x00and more")))
		_, _, err = wire.Read(conn, nil)
		require.Error(t, err)
		end()
		require.EqualError(t, told, "peer speaks wire version 2, not 1")
	})
}

func TestBadSelvesAndOptionsAreRefused(t *testing.T) {
	t.Parallel()
	good := self(t, secret)
	for _, change := range []func(*transfer.Self){
		func(s *transfer.Self) { s.Identity = nil },
		func(s *transfer.Self) { s.Fingerprint = s.Fingerprint[:7] },
		func(s *transfer.Self) { s.Fingerprint = bytes.Repeat([]byte{1}, 33) },
		func(s *transfer.Self) { s.Replica = "" },
		func(s *transfer.Self) { s.Replica = strings.Repeat("r", 65) },
	} {
		bad := good
		change(&bad)
		require.Error(t, bad.Validate())
		_, err := transfer.NewServer(bad, newShelf().open, transfer.DefaultServerOptions())
		require.Error(t, err)
	}
	_, err := transfer.NewServer(good, newShelf().open, transfer.ServerOptions{})
	require.Error(t, err)
	require.NoError(t, transfer.DefaultServerOptions().Validate())
	_, err = transfer.NewPuller(good, transfer.DefaultPullerOptions())
	require.ErrorContains(t, err, "no random numbers")
}

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
