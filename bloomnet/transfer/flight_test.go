package transfer_test

import (
	"context"
	"crypto/tls"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/transfer"
)

func TestOnePullOfANumberAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me, held := newNetwork(), self(t, secret), newShelf(blob("tag", 9))
		gate := make(chan struct{})
		serve(t, n.listen("a"), me, func(number uint32, have []byte) (transfer.Blob, error) {
			<-gate
			return held.open(number, have)
		}, nil)
		p := puller(t, n, me, nil)
		leaver, leave := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			_, err := p.Pull(leaver, []string{"a"}, 0, nil)
			require.ErrorIs(t, err, context.Canceled)
		})
		synctest.Wait()
		for range 3 {
			running.Go(func() {
				got, err := p.Pull(t.Context(), nil, 0, []byte("tag"))
				require.NoError(t, err, "as the pull under way")
				require.Equal(t, "tag", string(got.Tag))
			})
		}
		synctest.Wait()
		leave() // takes nothing from the others
		synctest.Wait()
		close(gate)
		running.Wait()
		require.Equal(t, 1, held.opens)
	})
}

func TestAPullEndsWithTheLastWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		var heard atomic.Int32
		impostor(t, n.listen("a"), me, func(conn *tls.Conn) {
			hearRequest(conn)
			heard.Add(1)
			_, err := hearRequest(conn) // hangs until the client leaves
			require.Error(t, err)
			heard.Add(-1)
		})
		p := puller(t, n, me, nil)
		for range 2 {
			ctx, leave := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() {
				_, err := p.Pull(ctx, []string{"a"}, 0, nil)
				require.ErrorIs(t, err, context.Canceled)
			})
			synctest.Wait()
			require.EqualValues(t, 1, heard.Load(), "a new pull, not the rest of one that ended")
			leave()
			running.Wait()
			synctest.Wait()
			require.Zero(t, heard.Load())
		}
		require.Zero(t, p.Counters.Failed.Load(), "nobody's fault")
	})
}

// A pull that has been left may take long to end; who comes then does not wait for it.
func TestAPullAfterOneThatWasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		serve(t, n.listen("a"), me, newShelf(blob("tag", 9)).open, nil)
		gate := make(chan struct{})
		p := puller(t, n, me, func(o *transfer.PullerOptions) {
			o.Dial = func(ctx context.Context, address string) (net.Conn, error) {
				if address == "slow" {
					<-gate
				}
				return n.dial(ctx, address)
			}
		})
		ctx, leave := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			_, err := p.Pull(ctx, []string{"slow"}, 0, nil)
			require.ErrorIs(t, err, context.Canceled)
		})
		synctest.Wait()
		leave()
		running.Wait()
		_, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
		require.NoError(t, err)
		close(gate)
	})
}

func TestPullsAtOnceAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		var inAll atomic.Int32
		most := func(now, limit int32) { require.LessOrEqual(t, now, limit) }
		for _, address := range []string{"a", "b", "c"} {
			var here atomic.Int32
			serve(t, n.listen(address), me, func(number uint32, _ []byte) (transfer.Blob, error) {
				most(inAll.Add(1), 5)
				most(here.Add(1), 2)
				time.Sleep(time.Second) // of the bubble: all that may be there are
				inAll.Add(-1)
				here.Add(-1)
				return blob("tag", int(number)), nil
			}, nil)
		}
		p := puller(t, n, me, func(o *transfer.PullerOptions) { o.Pulls, o.Random = 5, rand.Float64 })
		began := time.Now()
		var running sync.WaitGroup
		for i := range uint32(50) {
			running.Go(func() {
				_, err := p.Pull(t.Context(), []string{"a", "b", "c"}, i, nil)
				require.NoError(t, err)
			})
		}
		running.Wait()
		require.Less(t, time.Since(began), 50*time.Second/2, "more than two at once")
		require.LessOrEqual(t, len(n.dials), 6)
	})
}

func TestCloseEndsPulls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		impostor(t, n.listen("a"), me, func(conn *tls.Conn) { hearRequest(conn); hearRequest(conn) })
		serve(t, n.listen("b"), me, newShelf(blob("tag", 9)).open, nil)
		p := puller(t, n, me, nil)
		began := time.Now()
		_, err := p.Pull(t.Context(), []string{"b"}, 0, nil)
		require.NoError(t, err)
		var running sync.WaitGroup
		running.Go(func() {
			_, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
			require.ErrorIs(t, err, transfer.ErrClosed)
		})
		synctest.Wait()
		p.Close()
		running.Wait()
		require.Zero(t, time.Since(began), "connections that are kept are closed too")
		_, err = p.Pull(t.Context(), []string{"a"}, 0, nil)
		require.ErrorIs(t, err, transfer.ErrClosed)
	})
}
