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
	"namegate/bloomnet/transfer/wire"
)

func TestPull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		blobs := []transfer.Blob{
			blob("empty", 0), blob("one", 1), blob("frame", wire.MaxData), blob("more", wire.MaxData+1),
			blob("", 7), blob("large", 5<<20),
		}
		s, _ := serve(t, n.listen("a"), me, newShelf(blobs...).open, nil)
		p := puller(t, n, me, nil)
		for i, want := range blobs {
			got, err := p.Pull(t.Context(), []string{"a"}, uint32(i), []byte("old"))
			require.NoError(t, err)
			require.Equal(t, string(want.Tag), string(got.Tag))
			require.Equal(t, string(want.Data), string(got.Data))
		}
		require.Len(t, n.dials, 1, "a connection is used again")
		require.EqualValues(t, 1, p.Counters.Connected.Load())
		require.EqualValues(t, len(blobs), s.Counters.Sent.Load())
		require.EqualValues(t, len(blobs), p.Counters.Pulled.Load())
		require.Equal(t, s.Counters.Bytes.Load(), p.Counters.Bytes.Load())
		require.Zero(t, p.Counters.Resumed.Load())
	})
}

func TestWhatAHolderDoesNotGive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		serve(t, n.listen("a"), me, newShelf(blob("tag", 9)).open, nil)
		p := puller(t, n, me, nil)
		began := time.Now()
		_, err := p.Pull(t.Context(), []string{"a"}, 1, nil)
		require.ErrorIs(t, err, transfer.ErrNotHeld)
		_, err = p.Pull(t.Context(), []string{"a"}, 0, []byte("tag"))
		require.ErrorIs(t, err, transfer.ErrNotNewer)
		_, err = p.Pull(t.Context(), nil, 0, nil)
		require.Error(t, err)
		require.Zero(t, time.Since(began), "peers that are sure are not asked again")
		require.Len(t, n.dials, 1)
		require.Zero(t, p.Counters.Failed.Load())
	})
}

// What one peer lacks another has.
func TestPeersAreTriedInRandomOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		serve(t, n.listen("b"), me, newShelf(blob("tag", 9)).open, nil)
		serve(t, n.listen("c"), me, newShelf().open, nil)
		random := rand.New(rand.NewPCG(1, 1))
		p := puller(t, n, me, func(o *transfer.PullerOptions) { o.Random = random.Float64 })
		first := map[string]int{}
		for range 100 {
			from := len(n.dials)
			got, err := p.Pull(t.Context(), []string{"a", "b", "c"}, 0, nil)
			require.NoError(t, err)
			require.Equal(t, "tag", string(got.Tag))
			if len(n.dials) > from {
				first[n.dials[from]]++
			}
		}
		require.Greater(t, first["a"], 20, "nobody listens there, so each try is a dial")
		require.Less(t, first["a"], 80)
		require.NotZero(t, p.Counters.Failed.Load())
	})
}

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
