package rediscache_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"namegate/storage/rediscache/redistest"
)

// watch counts what callers ask of Redis, and finds the longest limit of a call.
type watch struct {
	calls   atomic.Int64
	longest atomic.Int64
}

var _ redis.Hook = (*watch)(nil)

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

// A Redis that cannot be written to is none, whoever finds out: nothing in it can be made void.
func TestBeatsOpenTheBreaker(t *testing.T) {
	t.Parallel()
	c, s, d := start(t)
	_, _ = lookup(t, c, d, name("ada"))
	for i, spoil := range [][]any{{"REPLICAOF", "127.0.0.1", "1"}, {"CONFIG", "SET", "maxmemory", "1"}} {
		s.Do(t, spoil...)
		eventually(t, func() bool { return c.Counters.Opens.Load() == int64(i+1) }, "a beat failed")
		_, fromRedis := lookup(t, c, d, name("ada"))
		require.False(t, fromRedis)
		s.Do(t, "REPLICAOF", "NO", "ONE")
		s.Do(t, "CONFIG", "SET", "maxmemory", "0")
		requireLive(t, c)
	}
	require.Zero(t, c.Counters.Waits.Load())
}
