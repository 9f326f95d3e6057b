package member_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/memberlist"
	"github.com/stretchr/testify/require"

	"namegate/bloomnet/member"
	"namegate/bloomnet/member/membertest"
)

// scale keeps the size of the largest packet.
type scale struct {
	*membertest.Transport
	largest atomic.Int64
}

func (s *scale) WriteToAddress(b []byte, a memberlist.Address) (time.Time, error) {
	s.largest.Store(max(s.largest.Load(), int64(len(b))))
	return s.Transport.WriteToAddress(b, a)
}

// Zeros would become few bytes by compression.
func TestPacketsAreFullAndNotCompressed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		a := start(t, network, "a", nil)
		scale := &scale{Transport: network.Transport()}
		b := start(t, network, "b", func(o *member.Options) {
			joining(a)(o)
			o.Transport = scale
		})
		b.sees(t, time.Second, 2)
		require.NoError(t, b.SendAll(1, make([]byte, member.MaxPayload)))
		require.Greater(t, scale.largest.Load(), int64(member.MaxPayload))
		for i := range 1000 {
			require.NoError(t, b.Broadcast(member.Class(i%3+1), 1, "", make([]byte, i)))
		}
		pass(time.Minute)
		require.LessOrEqual(t, scale.largest.Load(), int64(1405), "1,400 bytes and a checksum")
		require.Greater(t, scale.largest.Load(), int64(1300))
	})
}

// Whoever sends packets without the key gets nothing into memory, nor into the log more
// than some lines.
func TestGarbage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		network := newNetwork(t)
		a := start(t, network, "a", nil)
		stranger := network.Transport()
		for range 1000 {
			_, err := stranger.WriteTo(make([]byte, 1200), a.Address().String())
			require.NoError(t, err)
			synctest.Wait()
		}
		require.NotZero(t, a.Stats().Dropped.Log)
		require.Less(t, a.log.Count("level="), 100)
		require.NotZero(t, a.log.Count("discarding packet with unacceptable label"))
		require.Zero(t, a.Stats().Received)
		require.Zero(t, a.Origins())
	})
}
