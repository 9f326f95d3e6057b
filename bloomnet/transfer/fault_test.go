package transfer_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

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
		sum := sha256.Sum256(data)
		impostor(t, n.listen("a"), me, func(conn *tls.Conn) {
			q, _ := hearRequest(conn)
			asked <- q
			wire.Write(conn, wire.KindHead, wire.Head{Length: 9, Offset: q.Offset, Tag: []byte("tag")}.Append(nil))
			if q.Offset == 0 {
				wire.Write(conn, wire.KindData, data)
				return
			}
			wire.Write(conn, wire.KindEnd, sum[:])
		})
		got, err := puller(t, n, me, nil).Pull(t.Context(), []string{"a"}, 0, nil)
		require.NoError(t, err)
		require.Equal(t, data, got.Data)
		require.Equal(t, wire.Request{Have: []byte{}, Resume: []byte{}}, <-asked)
		require.Equal(t, wire.Request{Have: []byte{}, Resume: []byte("tag"), Offset: 9}, <-asked)
	})
}

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
			wire.Write(c, wire.KindEnd, make([]byte, sha256.Size))
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
		sum := sha256.Sum256(want.Data)
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
				wire.Write(c, wire.KindEnd, sum[:])
			default:
				wire.Write(c, wire.KindData, want.Data[:wire.MaxData])
				wire.Write(c, wire.KindData, want.Data[wire.MaxData:])
				wire.Write(c, wire.KindEnd, sum[:])
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
