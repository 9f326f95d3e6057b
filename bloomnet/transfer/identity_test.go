package transfer_test

import (
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/transfer"
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

// A client that would resume a session has to prove its key again.
func TestSessionsAreNotResumed(t *testing.T) {
	t.Parallel()
	me := self(t, secret)
	server, client := me.Identity.Config(), me.Identity.Config()
	client.ServerName, client.SessionTicketsDisabled = "a", false
	client.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	for range 2 {
		near, far := net.Pipe()
		var serving sync.WaitGroup
		serving.Go(func() { tls.Server(far, server).Write([]byte{1}) })
		conn := tls.Client(near, client)
		_, err := conn.Read(make([]byte, 1)) // and the tickets before it
		require.NoError(t, err)
		require.False(t, conn.ConnectionState().DidResume)
		near.Close()
		serving.Wait()
	}
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
