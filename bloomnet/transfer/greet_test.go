package transfer_test

import (
	"bytes"
	"crypto/tls"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/transfer"
	"namegate/bloomnet/transfer/wire"
)

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
