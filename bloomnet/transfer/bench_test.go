package transfer_test

import (
	"math/rand/v2"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"namegate/bloomnet/transfer"
)

// BenchmarkPull gets 1 GB, as blobs of 2 MB, from one peer over loopback.
func BenchmarkPull(b *testing.B) {
	const blobs, length = 500, 2_000_000
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	me, held := self(b, secret), blob("tag", length)
	serve(b, l, me, func(uint32, []byte) (transfer.Blob, error) { return held, nil }, nil)
	o := transfer.DefaultPullerOptions()
	o.Random = rand.Float64
	p, err := transfer.NewPuller(me, o)
	require.NoError(b, err)
	defer p.Close()
	b.SetBytes(blobs * length)
	for b.Loop() {
		var all errgroup.Group
		all.SetLimit(o.Pulls)
		for i := range uint32(blobs) {
			all.Go(func() error {
				_, err := p.Pull(b.Context(), []string{l.Addr().String()}, i, nil)
				return err
			})
		}
		require.NoError(b, all.Wait())
	}
}
