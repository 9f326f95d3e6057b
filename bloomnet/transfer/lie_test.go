package transfer_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/transfer"
	"namegate/bloomnet/transfer/wire"
)

// Each answer is such as no server gives.
func TestLiesAreDamage(t *testing.T) {
	t.Parallel()
	head := func(length, offset uint32) []byte { return wire.Head{Length: length, Offset: offset}.Append(nil) }
	for name, lie := range map[string]func(conn *tls.Conn){
		"data first":        func(c *tls.Conn) { wire.Write(c, wire.KindData, []byte{1}) },
		"half a head":       func(c *tls.Conn) { wire.Write(c, wire.KindHead, []byte{1}) },
		"half a busy":       func(c *tls.Conn) { wire.Write(c, wire.KindBusy, []byte{1}) },
		"an offset unasked": func(c *tls.Conn) { wire.Write(c, wire.KindHead, head(9, 3)) },
		"no data": func(c *tls.Conn) {
			wire.Write(c, wire.KindHead, head(9, 0))
			wire.Write(c, wire.KindData, nil)
		},
		"too much data": func(c *tls.Conn) {
			wire.Write(c, wire.KindHead, head(1, 0))
			wire.Write(c, wire.KindData, []byte{1, 2})
		},
		"an early end": func(c *tls.Conn) {
			wire.Write(c, wire.KindHead, head(2, 0))
			wire.Write(c, wire.KindEnd, make([]byte, 1))
		},
		"a wrong sum": func(c *tls.Conn) {
			wire.Write(c, wire.KindHead, head(1, 0))
			wire.Write(c, wire.KindData, []byte{1})
			wire.Write(c, wire.KindEnd, make([]byte, wire.SumSize))
		},
		"a short sum": func(c *tls.Conn) {
			wire.Write(c, wire.KindHead, head(0, 0))
			wire.Write(c, wire.KindEnd, nil)
		},
		"a wrong checksum": func(c *tls.Conn) {
			var frame bytes.Buffer
			wire.Write(&frame, wire.KindNotHeld, nil)
			frame.Bytes()[8] ^= 1
			c.Write(frame.Bytes())
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, me := newNetwork(), self(t, secret)
				impostor(t, n.listen("a"), me, func(c *tls.Conn) {
					hearRequest(c)
					lie(c)
					hearRequest(c) // until the client closes
				})
				p := puller(t, n, me, once)
				_, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
				require.ErrorIs(t, err, transfer.ErrDamaged)
				require.EqualValues(t, 1, p.Counters.Damaged.Load())
				_, err = p.Pull(t.Context(), []string{"a"}, 0, nil)
				require.ErrorIs(t, err, transfer.ErrDamaged)
				require.Len(t, n.dials, 2, "the connection was closed")
			})
		})
	}
}

// A kept connection that brings damage was not closed by a restart, so the peer is not
// asked again at once.
func TestDamageOnAKeptConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		impostor(t, n.listen("a"), me, func(c *tls.Conn) {
			hearRequest(c)
			wire.Write(c, wire.KindNotHeld, nil)
			hearRequest(c)
			frame := []byte{byte(wire.KindNotHeld), 0, 0, 0, 0, 1, 2, 3, 4} // a wrong checksum
			c.Write(frame)
			hearRequest(c)
		})
		p := puller(t, n, me, once)
		_, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
		require.ErrorIs(t, err, transfer.ErrNotHeld)
		_, err = p.Pull(t.Context(), []string{"a"}, 0, nil)
		require.ErrorIs(t, err, transfer.ErrDamaged)
		require.Len(t, n.dials, 1)
	})
}

func TestABlobThatIsTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		serve(t, n.listen("a"), me, newShelf(blob("tag", 1001)).open, nil)
		p := puller(t, n, me, func(o *transfer.PullerOptions) { o.MaxBlob = 1000 })
		_, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
		require.ErrorContains(t, err, "too long: 1001 bytes")
		require.Len(t, n.dials, 1, "not asked again")
	})
}

// A server that cannot open a blob, or opens one that cannot be sent, says no more than
// that it is busy.
func TestBlobsThatDoNotOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		var told []error
		s, _ := serve(t, n.listen("a"), me, func(number uint32, _ []byte) (transfer.Blob, error) {
			if number == 0 {
				return transfer.Blob{}, errors.New("disk is on fire")
			}
			return blob(string(make([]byte, wire.MaxTag+1)), 1), nil
		}, func(o *transfer.ServerOptions) { o.Report = func(err error) { told = append(told, err) } })
		p := puller(t, n, me, once)
		for i := range uint32(2) {
			_, err := p.Pull(t.Context(), []string{"a"}, i, nil)
			busy := (*transfer.BusyError)(nil)
			require.ErrorAs(t, err, &busy)
		}
		require.Len(t, told, 2)
		require.EqualError(t, told[0], "open blob 0: disk is on fire")
		require.ErrorContains(t, told[1], "too long")
		require.EqualValues(t, 2, s.Counters.Failed.Load())
	})
}
