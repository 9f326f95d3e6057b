package transfer_test

import (
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me := newNetwork(), self(t, secret)
		s, end := serve(t, n.listen("a"), me, newShelf(blob("tag", 9)).open, nil)
		var open sync.WaitGroup
		n.wrap = func(c net.Conn) net.Conn { open.Add(1); return &counted{Conn: c, open: &open} }
		p := puller(t, n, me, nil)
		pull := func() {
			_, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
			require.NoError(t, err)
		}
		pull()
		time.Sleep(29 * time.Second)
		pull()
		require.Len(t, n.dials, 1)
		time.Sleep(30 * time.Second)
		open.Wait() // closed by the client when its time was over
		pull()
		require.Len(t, n.dials, 2)

		silent := client(t, n, "a", me)
		began := time.Now()
		_, err := silent.Read(make([]byte, 1))
		require.Error(t, err)
		require.Equal(t, time.Minute, time.Since(began), "closed by the server")
		end()
		require.Zero(t, s.Counters.Broken.Load())
	})
}

// counted tells of its end.
type counted struct {
	net.Conn
	open *sync.WaitGroup
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(c.open.Done)
	return c.Conn.Close()
}

// Connections that were kept are of no use after a restart of the server, which is no
// fault of it.
func TestARestartedServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, me, held := newNetwork(), self(t, secret), newShelf(blob("0", 9), blob("1", 9))
		_, end := serve(t, n.listen("a"), me, held.open, nil)
		p := puller(t, n, me, once)
		var running sync.WaitGroup
		for i := range uint32(2) {
			running.Go(func() {
				_, err := p.Pull(t.Context(), []string{"a"}, i, nil)
				require.NoError(t, err)
			})
		}
		running.Wait()
		end()
		serve(t, n.listen("a"), me, held.open, nil)
		_, err := p.Pull(t.Context(), []string{"a"}, 0, nil)
		require.NoError(t, err)
		require.Zero(t, p.Counters.Failed.Load())
	})
}
