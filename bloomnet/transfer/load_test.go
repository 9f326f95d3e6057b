package transfer_test

import (
	"crypto/tls"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/transfer"
	"namegate/bloomnet/transfer/wire"
)

// A client that does not take what it asked for holds a place no longer than a frame may
// take; until then others hear that the server is busy, and come again.
func TestSlowReadersAreCutAndOthersWait(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(*tls.Conn){
		"reads nothing": func(c *tls.Conn) { time.Sleep(time.Minute) },
		"drips": func(c *tls.Conn) {
			for b := make([]byte, 1000); ; time.Sleep(time.Second) { // of the bubble
				if _, err := io.ReadFull(c, b); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, me := newNetwork(), self(t, secret)
				s, _ := serve(t, n.listen("a"), me, newShelf(blob("tag", 1<<20)).open, func(o *transfer.ServerOptions) {
					o.Sends, o.RetryAfter = 1, 700*time.Millisecond
				})
				slow := client(t, n, "a", me)
				require.NoError(t, wire.Write(slow, wire.KindRequest, wire.Request{}.Append(nil)))
				var running sync.WaitGroup
				running.Go(func() { read(slow) })
				synctest.Wait()

				one := puller(t, n, me, once)
				_, err := one.Pull(t.Context(), []string{"a"}, 0, nil)
				busy := (*transfer.BusyError)(nil)
				require.ErrorAs(t, err, &busy)
				require.Equal(t, 700*time.Millisecond, busy.RetryAfter)

				began := time.Now()
				p := puller(t, n, me, func(o *transfer.PullerOptions) { o.Rounds = 20 })
				_, err = p.Pull(t.Context(), []string{"a"}, 0, nil)
				require.NoError(t, err)
				require.InDelta(t, 7*time.Second, time.Since(began), float64(5*time.Second))
				require.Len(t, n.dials, 3, "a busy server keeps the connection")
				require.Greater(t, p.Counters.Busy.Load(), uint64(1))
				require.Equal(t, p.Counters.Busy.Load()+1, s.Counters.Busy.Load())
				require.EqualValues(t, 1, s.Counters.Broken.Load())
				slow.NetConn().Close()
				running.Wait()
			})
		})
	}
}

// Peers that are all busy are asked when the first of them may have a place, and a random
// part of a doubling time later.
func TestPausesBetweenRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		var asked []time.Time
		impostor(t, n.listen("a"), me, func(c *tls.Conn) {
			for {
				if _, err := hearRequest(c); err != nil {
					return
				}
				asked = append(asked, time.Now())
				wire.Write(c, wire.KindBusy, wire.AppendBusy(nil, 3*time.Second))
			}
		})
		impostor(t, n.listen("b"), me, func(c *tls.Conn) {
			for {
				if _, err := hearRequest(c); err != nil {
					return
				}
				wire.Write(c, wire.KindBusy, wire.AppendBusy(nil, time.Hour))
			}
		})
		p := puller(t, n, me, func(o *transfer.PullerOptions) {
			o.Random = func() float64 { return 0.25 }
			o.MinPause, o.MaxPause = time.Second, 4*time.Second
		})
		_, err := p.Pull(t.Context(), []string{"a", "b"}, 0, nil)
		require.ErrorContains(t, err, "a: peer is busy for 3s")
		require.ErrorContains(t, err, "b: peer is busy for 4s", "nobody makes a client wait for an hour")
		var pauses []time.Duration
		for i := range asked[1:] {
			pauses = append(pauses, asked[i+1].Sub(asked[i]))
		}
		ms := time.Millisecond
		require.Equal(t, []time.Duration{3250 * ms, 3500 * ms, 4000 * ms, 4000 * ms}, pauses)
	})
}

// A transfer may take as long as it must, as long as its frames come.
func TestTheRateOfBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		serve(t, n.listen("a"), me, newShelf(blob("0", 15<<20), blob("1", 15<<20)).open, func(o *transfer.ServerOptions) {
			o.Sends, o.Rate = 2, 2<<20
		})
		p := puller(t, n, me, nil)
		began := time.Now()
		var running sync.WaitGroup
		for i := range uint32(2) {
			running.Go(func() {
				_, err := p.Pull(t.Context(), []string{"a"}, i, nil)
				require.NoError(t, err)
			})
		}
		running.Wait()
		require.InDelta(t, 14500*time.Millisecond, time.Since(began), float64(time.Millisecond), "30 MiB, of which 1 MiB at once")
	})
}
