package ratelimit_test

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/ratelimit"
)

// bench is a limiter beside the clock it reads.
type bench struct {
	*ratelimit.Memory
	t   *testing.T
	now time.Time
}

func newBench(t *testing.T, rules ratelimit.Rules, wide, memory int) *bench {
	t.Helper()
	b := &bench{t: t, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	b.Memory = ratelimit.NewMemory(ratelimit.Options{
		Rules: rules, WideFactor: wide, Memory: memory, Clock: func() time.Time { return b.now },
	})
	return b
}

func (b *bench) take(address string, charges ...ratelimit.Charge) *ratelimit.Refusal {
	b.t.Helper()
	return b.Take(b.t.Context(), netip.MustParseAddr(address), charges)
}

func (b *bench) remaining(address string, bucket ratelimit.Bucket) int {
	b.t.Helper()
	s, on := b.Standing(b.t.Context(), netip.MustParseAddr(address), bucket)
	require.True(b.t, on)
	return s.Remaining
}

func check(cost int) ratelimit.Charge { return ratelimit.Charge{Bucket: ratelimit.Check, Cost: cost} }

func signUp(once string) ratelimit.Charge {
	return ratelimit.Charge{Bucket: ratelimit.Signup, Cost: 1, Once: once}
}

func aMinute(calls int) ratelimit.Limit { return ratelimit.Limit{Calls: calls, Per: time.Minute} }

// admitted is what an oracle remembers of a call that was let in.
type admitted struct {
	at   time.Time
	cost int
}

// within sums what was admitted in the window that ends at a time.
func within(calls []admitted, end time.Time, per time.Duration) (sum int) {
	for _, c := range calls {
		if end.Sub(c.at) < per {
			sum += c.cost
		}
	}
	return sum
}

func TestNoWindowAdmitsMoreThanTheLimitAndTheRetryTimeIsExact(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		limit := aMinute(1 + random.IntN(8))
		b := newBench(t, ratelimit.Rules{ratelimit.Check: limit}, 0, 1<<20)
		var calls []admitted
		for range 400 {
			if random.IntN(3) > 0 { // else at the same time as the one before
				b.now = b.now.Add(time.Duration(random.Int64N(int64(20 * time.Second))))
			}
			cost := 1 + random.IntN(limit.Calls)
			fits := within(calls, b.now, limit.Per)+cost <= limit.Calls
			refused := b.take("192.0.2.1", check(cost))
			require.Equal(t, fits, refused == nil, "seed %d", seed)
			if refused != nil {
				last := b.now.Add(refused.RetryAfter)
				require.Positive(t, refused.RetryAfter)
				require.LessOrEqual(t, within(calls, last, limit.Per)+cost, limit.Calls, "seed %d", seed)
				require.Greater(t, within(calls, last.Add(-1), limit.Per)+cost, limit.Calls, "sooner would do, seed %d", seed)
				b.now = last
				require.Nil(t, b.take("192.0.2.1", check(cost)), "seed %d", seed)
			}
			calls = append(calls, admitted{b.now, cost})
		}
	}
}

func TestRefusedCallsAreNotCounted(t *testing.T) {
	t.Parallel()
	b := newBench(t, ratelimit.Rules{ratelimit.Check: aMinute(1)}, 0, 1<<20)
	require.Nil(t, b.take("192.0.2.1", check(1)))
	for range 60 {
		require.NotNil(t, b.take("192.0.2.1", check(1)))
		b.now = b.now.Add(time.Second)
	}
	require.Nil(t, b.take("192.0.2.1", check(1)))
}

func TestAChargeIsForAllOrNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, ratelimit.Rules{ratelimit.Check: aMinute(5), ratelimit.Signup: aMinute(1)}, 4, 1<<20)
	require.Nil(t, b.take("192.0.2.1", check(1), signUp("")))
	refused := b.take("192.0.2.1", check(1), signUp(""))
	require.NotNil(t, refused)
	require.Equal(t, ratelimit.Signup, refused.Bucket)
	require.Equal(t, 4, b.remaining("192.0.2.1", ratelimit.Check))
}

func TestWhatCostsMoreThanTheLimitIsToldSo(t *testing.T) {
	t.Parallel()
	b := newBench(t, ratelimit.Rules{ratelimit.Check: aMinute(5)}, 0, 1<<20)
	refused := b.take("192.0.2.1", check(3), check(3))
	require.True(t, refused.TooDear())
	require.Equal(t, &ratelimit.Refusal{Bucket: ratelimit.Check, Limit: aMinute(5), Cost: 6}, refused)
	require.Equal(t, 5, b.remaining("192.0.2.1", ratelimit.Check))
}

func TestAClockThatIsSetBackAdmitsNothingMoreAndKeepsNobodyOutForLonger(t *testing.T) {
	t.Parallel()
	b := newBench(t, ratelimit.Rules{ratelimit.Check: aMinute(2)}, 0, 1<<20)
	require.Nil(t, b.take("192.0.2.1", check(2)))
	b.now = b.now.Add(-time.Hour)
	refused := b.take("192.0.2.1", check(1))
	require.NotNil(t, refused)
	require.LessOrEqual(t, refused.RetryAfter, time.Minute)
	b.now = b.now.Add(refused.RetryAfter)
	require.Nil(t, b.take("192.0.2.1", check(1)))
}

func TestWhoIsOneClient(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b      string
		one, near bool
	}{
		{"192.0.2.1", "192.0.2.1", true, true},
		{"192.0.2.1", "192.0.2.2", false, true},
		{"192.0.2.1", "192.0.3.1", false, false},
		{"192.0.2.1", "::ffff:192.0.2.1", true, true},
		{"2001:db8::1", "2001:db8::ffff:1", true, true},
		{"2001:db8:0:1::1", "2001:db8:0:2::1", false, true},
		{"2001:db8:0:1000::1", "2001:db8:0:2000::1", false, true},
		{"2001:db8:1::1", "2001:db8:2::1", false, false},
		{"fe80::1%eth0", "fe80::2%eth1", true, true},
		{"::", "0.0.0.0", false, false},
	} {
		own := newBench(t, ratelimit.Rules{ratelimit.Check: aMinute(1)}, 0, 1<<20)
		require.Nil(t, own.take(tc.a, check(1)))
		require.Equal(t, tc.one, own.take(tc.b, check(1)) != nil, "%s and %s, one client", tc.a, tc.b)

		wide := newBench(t, ratelimit.Rules{ratelimit.Check: aMinute(2)}, 1, 1<<20)
		require.Nil(t, wide.take(tc.a, check(1)))
		require.Equal(t, tc.near, wide.take(tc.b, check(2)) != nil, "%s and %s, neighbours", tc.a, tc.b)
	}
}

func TestACallSentAgainCostsNothingOfItsBucket(t *testing.T) {
	t.Parallel()
	b := newBench(t, ratelimit.Rules{ratelimit.Signup: {Calls: 2, Per: time.Hour}, ratelimit.Refused: {Calls: 3, Per: time.Hour}}, 0, 1<<20)
	require.Nil(t, b.take("192.0.2.1", signUp("call")))
	require.Nil(t, b.take("192.0.2.1", signUp("call")))
	require.Nil(t, b.take("192.0.2.1", signUp("call")))
	require.Equal(t, 1, b.remaining("192.0.2.1", ratelimit.Signup))
	require.Equal(t, 1, b.remaining("192.0.2.1", ratelimit.Refused), "so that resends have a limit, too")
	require.Nil(t, b.take("192.0.2.2", signUp("call")))
	require.Equal(t, 1, b.remaining("192.0.2.2", ratelimit.Signup), "another client pays")
	b.now = b.now.Add(ratelimit.OnceWindow)
	require.Nil(t, b.take("192.0.2.1", signUp("call")))
	require.Equal(t, 0, b.remaining("192.0.2.1", ratelimit.Signup), "it is charged again later")
}

func TestARefusedCallIsNotRememberedAsPaid(t *testing.T) {
	t.Parallel()
	b := newBench(t, ratelimit.Rules{ratelimit.Signup: aMinute(1)}, 0, 1<<20)
	require.Nil(t, b.take("192.0.2.1", signUp("first")))
	require.NotNil(t, b.take("192.0.2.1", signUp("second")))
	require.NotNil(t, b.take("192.0.2.1", signUp("second")))
}

func TestAStanding(t *testing.T) {
	t.Parallel()
	b := newBench(t, ratelimit.Rules{ratelimit.Check: aMinute(5)}, 1, 1<<20)
	_, on := b.Standing(t.Context(), netip.MustParseAddr("192.0.2.1"), ratelimit.Signup)
	require.False(t, on)
	require.Nil(t, b.take("192.0.2.1", check(2)))
	first := b.now
	b.now = b.now.Add(10 * time.Second)
	s, on := b.Standing(t.Context(), netip.MustParseAddr("192.0.2.1"), ratelimit.Check)
	require.True(t, on)
	require.Equal(t, ratelimit.Standing{Limit: 5, Remaining: 3, ResetAt: first.Add(time.Minute)}, s)
	require.Equal(t, 3, b.remaining("192.0.2.9", ratelimit.Check), "neighbours share the wider limit")
	b.now = s.ResetAt.Add(-1)
	require.Equal(t, 3, b.remaining("192.0.2.1", ratelimit.Check))
	b.now = s.ResetAt
	require.Equal(t, 5, b.remaining("192.0.2.1", ratelimit.Check))
}

func TestLimitsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for _, limit := range []ratelimit.Limit{
		{0, time.Minute}, {-1, time.Minute}, {1_000_001, time.Minute}, {1, 0}, {1, time.Millisecond}, {1, 2 * time.Hour},
	} {
		require.Error(t, limit.Validate(), limit)
	}
	for _, limit := range ratelimit.DefaultRules() {
		require.NoError(t, limit.Validate())
	}
}
