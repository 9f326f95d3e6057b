package transfer_test

import (
	"math/rand/v2"
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
