package ratelimit_test

import (
	"fmt"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/ratelimit"
)

// heap is what is in use after a collection, in bytes.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// One address of each /24, as a scanner has them in many networks, is the worst case: each
// may use its limit up, which takes a time for every call.
func TestAMillionAddressesFitAndTheLimitedOneStaysSo(t *testing.T) {
	const memory = 16 << 20
	for _, calls := range []int{1, 20} {
		b := newBench(t, ratelimit.Rules{ratelimit.Check: aMinute(20)}, 16, memory)
		for range 20 {
			require.Nil(t, b.take("198.51.100.7", check(1)))
			b.now = b.now.Add(1)
		}
		before := heap()
		for i := range uint32(1_000_000) / uint32(calls) {
			client := netip.AddrFrom4([4]byte{byte(i >> 16), byte(i >> 8), byte(i), 1})
			for range calls {
				b.Take(t.Context(), client, []ratelimit.Charge{check(1)})
				b.now = b.now.Add(1)
			}
		}
		require.Less(t, heap()-before, int64(memory*5/4), "%d calls of each", calls)
		require.NotNil(t, b.take("198.51.100.7", check(1)))
		b.now = b.now.Add(time.Minute)
		b.Sweep()
		require.Less(t, heap()-before, int64(memory*3/4), "what has run out is given back")
		require.Nil(t, b.take("198.51.100.7", check(20)))
	}
}

func TestWhenAllAreAtTheirLimitTheyStaySo(t *testing.T) {
	t.Parallel()
	// Neighbours share one of 64 parts, which has room for each but not for all their times.
	b := newBench(t, ratelimit.Rules{ratelimit.Check: aMinute(50)}, 0, 64*(80<<10))
	clients := make([]netip.Addr, 200)
	for i := range clients {
		clients[i] = netip.AddrFrom4([4]byte{10, 0, 0, byte(i)})
		for range 50 {
			b.Take(t.Context(), clients[i], []ratelimit.Charge{check(1)})
			b.now = b.now.Add(time.Millisecond)
		}
	}
	for _, client := range clients {
		require.NotNil(t, b.Take(t.Context(), client, []ratelimit.Charge{check(1)}), client)
	}
}

// There is room for not even one window: then there is no memory for a time of each call.
func TestWithoutRoomCallsCountForLongerAndNeverForLess(t *testing.T) {
	t.Parallel()
	b := newBench(t, ratelimit.Rules{ratelimit.Check: aMinute(10)}, 0, 64*100)
	first := b.now
	for range 10 {
		require.Nil(t, b.take("192.0.2.1", check(1)))
		b.now = b.now.Add(time.Second)
	}
	b.now = first.Add(time.Minute)
	require.NotNil(t, b.take("192.0.2.1", check(2)), "one has run out")
	b.now = first.Add(9*time.Second + time.Minute)
	require.Nil(t, b.take("192.0.2.1", check(10)), "the last has run out")
}

func TestCallsOfOneGranuleCountAsOfItsLast(t *testing.T) {
	t.Parallel()
	limit := ratelimit.Limit{Calls: 2048, Per: 1024 * time.Second} // a granule is a second
	b := newBench(t, ratelimit.Rules{ratelimit.Check: limit}, 0, 1<<20)
	first := b.now
	require.Nil(t, b.take("192.0.2.1", check(1)))
	b.now = first.Add(900 * time.Millisecond)
	require.Nil(t, b.take("192.0.2.1", check(2047)))
	b.now = first.Add(limit.Per + 500*time.Millisecond)
	require.NotNil(t, b.take("192.0.2.1", check(2)))
	b.now = first.Add(limit.Per + 900*time.Millisecond)
	require.Nil(t, b.take("192.0.2.1", check(2048)))
}

func TestALimitOfManyCallsTakesNoMemoryForEach(t *testing.T) {
	limit := ratelimit.Limit{Calls: 200_000, Per: time.Hour}
	b := newBench(t, ratelimit.Rules{ratelimit.Check: limit}, 0, 4<<20)
	first, before := b.now, heap()
	for range limit.Calls {
		require.Nil(t, b.take("192.0.2.1", check(1)))
		b.now = b.now.Add(time.Millisecond)
	}
	require.Less(t, heap()-before, int64(256<<10))
	refused := b.take("192.0.2.1", check(1))
	require.NotNil(t, refused)
	free := b.now.Add(refused.RetryAfter).Sub(first)
	require.GreaterOrEqual(t, free, limit.Per)
	require.Less(t, free, limit.Per+limit.Per/1000)
	b.now = b.now.Add(refused.RetryAfter)
	require.Nil(t, b.take("192.0.2.1", check(1)))
}

func TestSentCallsAreRememberedWithinBounds(t *testing.T) {
	t.Parallel()
	b := newBench(t, ratelimit.Rules{ratelimit.Signup: {Calls: 100_000, Per: time.Minute}}, 0, 1<<20)
	for i := range 10_000 {
		require.Nil(t, b.take("192.0.2.1", signUp(fmt.Sprint(i))))
	}
	require.Equal(t, 90_000, b.remaining("192.0.2.1", ratelimit.Signup))
}
