package postgres_test

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/localpg"
	"namegate/storage/postgres"
	"namegate/storage/storagetest"
)

// mortal is a replica in a process that dies and is started again.
type mortal struct {
	o      postgres.Options
	random *rand.Rand

	mu     sync.Mutex
	child  *os.Process
	remote atomic.Pointer[storagetest.Remote] // nil while it is dead
	deaths atomic.Int64
}

// maxLife is how many writes of sagas a process lives at most. It is drawn, so that
// processes die after every step of every saga.
const maxLife = 150

// live starts the process whenever it has died, until ctx ends.
func (m *mortal) live(ctx context.Context, t *testing.T) {
	for ctx.Err() == nil {
		child, remote := startRemote(t, m.o, 1+m.random.IntN(maxLife), io.Discard)
		m.mu.Lock()
		m.child = child.Process
		m.mu.Unlock()
		m.remote.Store(remote)
		over := context.AfterFunc(ctx, m.kill)
		_ = child.Wait() // it is killed, or ends by itself with an error
		over()
		m.remote.Store(nil)
		m.deaths.Add(1)
		m.mu.Lock()
		m.child = nil
		m.mu.Unlock()
	}
}

func (m *mortal) signal(s syscall.Signal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.child != nil {
		_ = m.child.Signal(s) // fails when it has died
	}
}

// kill also ends a process that is stopped.
func (m *mortal) kill() { m.signal(syscall.SIGKILL) }

// fault is one thing that goes wrong, and is over when it returns.
type fault func(ctx context.Context, t *testing.T)

// pass waits for a time, or for the end of the run.
func pass(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// faults do random things to replicas, connections and databases until ctx ends.
// They let time go by for sagas under way, so that others give them up alive.
func faults(ctx context.Context, t *testing.T, random *rand.Rand, m *mortal, c *cutter, b *bases, server *localpg.Server) {
	short := func() time.Duration { return time.Duration(1+random.IntN(40)) * time.Millisecond }
	list := []fault{
		func(context.Context, *testing.T) { m.kill() },
		func(ctx context.Context, _ *testing.T) {
			m.signal(syscall.SIGSTOP)
			pass(ctx, 10*short())
			m.signal(syscall.SIGCONT)
		},
		func(ctx context.Context, _ *testing.T) { c.cut.Store(true); pass(ctx, short()); c.cut.Store(false) },
		func(ctx context.Context, _ *testing.T) {
			c.swallow.Store(true)
			pass(ctx, short())
			c.swallow.Store(false)
		},
		func(_ context.Context, t *testing.T) { b.tryAge() },
		func(_ context.Context, t *testing.T) { b.tryAge() },
	}
	for n := 1; ctx.Err() == nil; n++ {
		pass(ctx, 4*short())
		list[random.IntN(len(list))](ctx, t)
		if server != nil && n%60 == 0 {
			require.NoError(t, server.Kill())
			require.NoError(t, server.Restart(context.WithoutCancel(ctx)))
		}
	}
}

// tryAge is age for databases that may be away.
func (b *bases) tryAge() {
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	for _, pool := range b.pools {
		_, _ = pool.Exec(ctx, ageIntents)
		_, _ = pool.Exec(ctx, ageRequests)
	}
}

// replicas gives clients one of three: this process, this process behind a
// connection that breaks, and another process.
func replicas(near, cut storage.Store, m *mortal) func(*rand.Rand) storage.Store {
	return func(random *rand.Rand) storage.Store {
		switch remote := m.remote.Load(); random.IntN(4) {
		case 0:
			return near
		case 1:
			return cut
		default:
			if remote != nil {
				return remote
			}
			return near
		}
	}
}
