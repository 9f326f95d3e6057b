package transfer_test

import (
	"bytes"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/transfer"
	"namegate/bloomnet/transfer/wire"
)

// cut is a connection that breaks after a number of bytes read.
type cut struct {
	net.Conn
	left int
}

func (c *cut) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b[:min(len(b), c.left)])
	if c.left -= n; c.left == 0 {
		c.Close()
	}
	return n, err
}

// cutFirst breaks the first connections, each after so many bytes.
func (n *network) cutFirst(after ...int) {
	var mu sync.Mutex
	n.wrap = func(c net.Conn) net.Conn {
		mu.Lock()
		defer mu.Unlock()
		if len(after) == 0 {
			return c
		}
		c, after = &cut{Conn: c, left: after[0]}, after[1:]
		return c
	}
}

func TestACutPullGoesOnWhereItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me, want := newNetwork(), self(t, secret), blob("tag", 3<<20+5)
		a, _ := serve(t, n.listen("a"), me, newShelf(want).open, nil)
		b, _ := serve(t, n.listen("b"), me, newShelf(want).open, nil)
		n.cutFirst(1<<20, 1<<20)
		p := puller(t, n, me, nil)
		got, err := p.Pull(t.Context(), []string{"a", "b"}, 0, nil)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want.Data, got.Data))
		require.EqualValues(t, 2, p.Counters.Resumed.Load())
		require.EqualValues(t, 2, p.Counters.Failed.Load())
		require.EqualValues(t, len(want.Data), p.Counters.Bytes.Load(), "no frame came twice")
		require.NotZero(t, a.Counters.Bytes.Load())
		require.NotZero(t, b.Counters.Bytes.Load(), "any holder of the same tag will do")
	})
}

// noise changes one byte of those read, so far in.
type noise struct {
	net.Conn
	until int
}

func (c *noise) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.until >= 0 && c.until < n {
		b[c.until] ^= 1
	}
	c.until -= n
	return n, err
}

func TestAPullGoesOnAfterNoise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me, want := newNetwork(), self(t, secret), blob("tag", 3<<20)
		serve(t, n.listen("a"), me, newShelf(want).open, nil)
		clean := false
		n.wrap = func(c net.Conn) net.Conn {
			if clean {
				return c
			}
			clean = true
			return &noise{Conn: c, until: 1 << 20}
		}
		p := puller(t, n, me, nil)
		got, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want.Data, got.Data))
		require.EqualValues(t, 1, p.Counters.Damaged.Load())
		require.EqualValues(t, 1, p.Counters.Resumed.Load())
	})
}

func TestACutPullOfWhatHasChangedBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me, held := newNetwork(), self(t, secret), newShelf(blob("old", 3<<20))
		want := transfer.Blob{Tag: []byte("new"), Data: bytes.Repeat([]byte{9}, 2<<20)}
		var opened atomic.Int32
		serve(t, n.listen("a"), me, func(number uint32, have []byte) (transfer.Blob, error) {
			if opened.Add(1) > 1 {
				return want, nil
			}
			return held.open(number, have)
		}, nil)
		n.cutFirst(1 << 20)
		p := puller(t, n, me, nil)
		got, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
		require.NoError(t, err)
		require.Equal(t, "new", string(got.Tag))
		require.True(t, bytes.Equal(want.Data, got.Data))
		require.Zero(t, p.Counters.Resumed.Load())
	})
}

// The last bytes had come, but not their checksum.
func TestAPullThatWasCutAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		data, asked := []byte("all of it"), make(chan wire.Request, 2)
		sum := sumOf(data)
		impostor(t, n.listen("a"), me, func(conn *tls.Conn) {
			q, _ := hearRequest(conn)
			asked <- q
			wire.Write(conn, wire.KindHead, wire.Head{Length: 9, Offset: q.Offset, Tag: []byte("tag")}.Append(nil))
			if q.Offset == 0 {
				wire.Write(conn, wire.KindData, data)
				return
			}
			wire.Write(conn, wire.KindEnd, sum)
		})
		got, err := puller(t, n, me, nil).Pull(t.Context(), []string{"a"}, 0, nil)
		require.NoError(t, err)
		require.Equal(t, data, got.Data)
		require.Equal(t, wire.Request{Have: []byte{}, Resume: []byte{}}, <-asked)
		require.Equal(t, wire.Request{Have: []byte{}, Resume: []byte("tag"), Offset: 9}, <-asked)
	})
}

// The head of a resumed blob goes on elsewhere than the client asked.
func TestAResumeAtAnotherPlaceIsDamage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		impostor(t, n.listen("a"), me, func(c *tls.Conn) {
			q, _ := hearRequest(c)
			if q.Offset == 0 {
				wire.Write(c, wire.KindHead, wire.Head{Length: 9}.Append(nil))
				wire.Write(c, wire.KindData, []byte("12345"))
				return
			}
			wire.Write(c, wire.KindHead, wire.Head{Length: 9, Offset: q.Offset - 1}.Append(nil))
			hearRequest(c)
		})
		p := puller(t, n, me, func(o *transfer.PullerOptions) { o.Rounds = 2 })
		_, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
		require.ErrorIs(t, err, transfer.ErrDamaged)
		require.Zero(t, p.Counters.Resumed.Load())
	})
}

// What came well before the damage is kept, but not when the whole proves wrong.
func TestAPullGoesOnAfterDamage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		want, asked := blob("tag", 2*wire.MaxData), []uint32{}
		sum := sumOf(want.Data)
		impostor(t, n.listen("a"), me, func(c *tls.Conn) {
			q, _ := hearRequest(c)
			asked = append(asked, q.Offset)
			wire.Write(c, wire.KindHead, wire.Head{Length: uint32(len(want.Data)), Offset: q.Offset, Tag: want.Tag}.Append(nil))
			switch len(asked) {
			case 1: // a good frame, then a bad one
				wire.Write(c, wire.KindData, want.Data[:wire.MaxData])
				wire.Write(c, wire.KindNotHeld, nil)
			case 2: // a good frame that is not of this blob
				wire.Write(c, wire.KindData, want.Data[:wire.MaxData])
				wire.Write(c, wire.KindEnd, sum)
			default:
				wire.Write(c, wire.KindData, want.Data[:wire.MaxData])
				wire.Write(c, wire.KindData, want.Data[wire.MaxData:])
				wire.Write(c, wire.KindEnd, sum)
			}
			hearRequest(c)
		})
		p := puller(t, n, me, nil)
		got, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want.Data, got.Data))
		require.Equal(t, []uint32{0, wire.MaxData, 0}, asked)
		require.EqualValues(t, 2, p.Counters.Damaged.Load())
	})
}

func sumOf(data []byte) []byte {
	sum := wire.NewSum()
	sum.Write(data)
	return sum.Sum(nil)
}
