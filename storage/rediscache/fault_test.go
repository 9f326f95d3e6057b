package rediscache_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"namegate/storage/rediscache"
	"namegate/storage/rediscache/redistest"
)

// watch counts what callers ask of Redis, and finds the longest limit of a call.
type watch struct {
	calls   atomic.Int64
	longest atomic.Int64
}

func (w *watch) DialHook(next redis.DialHook) redis.DialHook { return next }

func (w *watch) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (w *watch) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == "get" { // beats are scripts
			w.calls.Add(1)
			if end, ok := ctx.Deadline(); ok {
				w.longest.Store(max(w.longest.Load(), int64(time.Until(end))))
			} else {
				w.longest.Store(int64(time.Hour))
			}
		}
		return next(ctx, cmd)
	}
}

// While Redis hangs, a handful of calls pay their limit, one after the other, and no more.
func TestHungRedisCostsFewCallsTheirLimit(t *testing.T) {
	t.Parallel()
	s, d := redistest.New(t), newDatabase("a")
	o := options(t, s.URL())
	o.Timeout = 5 * time.Millisecond
	c := open(t, o)
	follow(t, c, d)
	requireLive(t, c)
	w := &watch{}
	c.Client().AddHook(w)
	s.Pause(t)
	for range 1000 {
		_, fromRedis := lookup(t, c, d, name("ada"))
		require.False(t, fromRedis)
	}
	require.LessOrEqual(t, w.calls.Load(), int64(5))
	require.Positive(t, w.calls.Load())
	require.LessOrEqual(t, time.Duration(w.longest.Load()), o.Timeout)
	require.EqualValues(t, 1, c.Counters.Opens.Load())
	require.EqualValues(t, 1000, d.reads.Load())
	s.Resume(t)
	requireLive(t, c)
	eventually(t, func() bool { _, fromRedis := lookup(t, c, d, name("ada")); return fromRedis }, "free comes of Redis")
}

func TestOpensWithoutRedis(t *testing.T) {
	t.Parallel()
	s, d := redistest.New(t), newDatabase("a")
	s.Kill(t)
	c := open(t, options(t, s.URL()))
	follow(t, c, d)
	_, fromRedis := lookup(t, c, d, name("ada"))
	require.False(t, fromRedis)
	s.Start(t)
	requireLive(t, c)
}

// Who leaves says nothing of Redis.
func TestCallersWhoLeaveDoNotOpenTheBreaker(t *testing.T) {
	t.Parallel()
	c, _, d := start(t)
	gone, leave := context.WithCancel(t.Context())
	leave()
	for range 20 {
		_, _, err := c.Lookup(gone, name("ada"), d.read(name("ada")))
		require.NoError(t, err)
	}
	require.True(t, c.Live())
	require.Zero(t, c.Counters.Opens.Load())
}

// Something that is no Redis at all answers, or never does.
func TestStrangersCostNoError(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	c, d := open(t, options(t, "redis://"+l.Addr().String())), newDatabase("a")
	for range 10 {
		_, fromRedis := lookup(t, c, d, name("ada"))
		require.False(t, fromRedis)
	}
}

// A failover that loses writes brings back an entry that was dropped.
func TestSentinelFailoverThatLosesWrites(t *testing.T) {
	t.Parallel()
	s, d := redistest.NewSentinels(t), newDatabase("a")
	c := open(t, options(t, s.URL()))
	follow(t, c, d)
	requireLive(t, c)
	ada := name("ada")
	d.take(ada)
	eventually(t, func() bool { return c.Counters.Invalidations.Load() == 1 }, "the change is applied")
	_, _ = lookup(t, c, d, ada)
	held, fromRedis := lookup(t, c, d, ada)
	require.True(t, held && fromRedis)
	keys := c.Keys(ada)
	lost := s.Primary.Do(t, "GET", keys[0])
	d.release(ada)
	eventually(t, func() bool { return c.Counters.Invalidations.Load() == 2 }, "the change is applied")
	s.Primary.Kill(t)
	s.Replica.Do(t, "CONFIG", "SET", "replica-read-only", "no")
	s.Replica.Do(t, "SET", keys[0], lost)
	s.Replica.Do(t, "DEL", keys[1])
	eventually(t, func() bool { return c.Counters.Generations.Load() == 2 }, "all entries are void")
	requireLive(t, c)
	eventually(t, func() bool {
		held, _ := lookup(t, c, d, ada)
		return !held
	}, "the name is free")
	for range 5 {
		held, _ := lookup(t, c, d, ada)
		require.False(t, held)
	}
}

func TestCluster(t *testing.T) {
	t.Parallel()
	cluster, d := redistest.NewCluster(t), newDatabase("a")
	c := open(t, options(t, cluster.URL()))
	follow(t, c, d)
	requireLive(t, c)
	some := []string{"ada", "bob", "cyd", "dee", "eve", "fay", "gus", "hal", "ivy", "jim", "kim", "lea"}
	for _, n := range some {
		d.take(name(n))
	}
	count := int64(len(some))
	eventually(t, func() bool { return c.Counters.Invalidations.Load() == count }, "the changes are applied")
	requireAll := func(held bool) {
		t.Helper()
		for _, n := range some {
			eventually(t, func() bool {
				h, fromRedis := lookup(t, c, d, name(n))
				return h == held && fromRedis
			}, "it comes of Redis")
		}
	}
	requireAll(true)
	for _, node := range cluster.Nodes {
		require.NotZero(t, node.Do(t, "DBSIZE"), "every node has a part")
	}
	for _, n := range some {
		d.release(name(n))
	}
	eventually(t, func() bool { return c.Counters.Invalidations.Load() == 2*count }, "the changes are applied")
	requireAll(false)

	cluster.Nodes[1].Kill(t)
	for _, n := range some {
		held, _ := lookup(t, c, d, name(n))
		require.False(t, held)
	}
	cluster.Nodes[1].Start(t)
	eventually(t, func() bool { return c.Counters.Generations.Load() >= 2 }, "a node may have lost changes")
	requireLive(t, c)
	requireAll(false)
}

var _ redis.Hook = (*watch)(nil)

func BenchmarkHit(b *testing.B) {
	c, s, d := start(b)
	d.take(name("ada"))
	eventually(b, func() bool { return c.Counters.Invalidations.Load() == 1 }, "the change is applied")
	_, _ = lookup(b, c, d, name("ada"))
	b.Run("lookup", func(b *testing.B) { benchLookup(b, c, d) })
	b.Run("plain GET", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			require.NoError(b, s.Admin.Get(context.Background(), c.Keys(name("ada"))[0]).Err())
		}
	})
}

func benchLookup(b *testing.B, c *rediscache.Cache, d *database) {
	id, read := name("ada"), d.read(name("ada"))
	b.ReportAllocs()
	for b.Loop() {
		if _, fromRedis, err := c.Lookup(context.Background(), id, read); !fromRedis || err != nil {
			b.Fatal("not a hit", err)
		}
	}
}
