package redistest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage/rediscache/redistest"
)

func TestServerIsKilledAndStartedAgain(t *testing.T) {
	t.Parallel()
	s := redistest.New(t, "maxmemory", "64mb")
	require.Equal(t, []any{"maxmemory", "67108864"}, s.Do(t, "CONFIG", "GET", "maxmemory"))
	s.Do(t, "SET", "k", "v")
	s.Kill(t)
	require.Error(t, s.Admin.Ping(t.Context()).Err())
	s.Start(t)
	require.Nil(t, s.Do(t, "GET", "k"), "nothing is kept on disk")
}

func TestPausedServerAnswersNothing(t *testing.T) {
	t.Parallel()
	s := redistest.New(t)
	s.Pause(t)
	answer := make(chan error, 1)
	go func() { answer <- s.Admin.Ping(context.Background()).Err() }()
	select {
	case err := <-answer:
		require.Fail(t, "a paused server answered", "%v", err)
	case <-time.After(50 * time.Millisecond):
	}
	s.Resume(t)
	require.NoError(t, <-answer)
}

func TestSentinelsFailOver(t *testing.T) {
	t.Parallel()
	s := redistest.NewSentinels(t)
	s.Primary.Kill(t)
	redistest.Eventually(t, func() error {
		if s.Replica.Do(t, "ROLE").([]any)[0] != "master" {
			return errors.New("the replica was not promoted")
		}
		return nil
	})
}

func TestClusterSharesItsSlots(t *testing.T) {
	t.Parallel()
	c := redistest.NewCluster(t)
	require.Len(t, c.Nodes, 3)
	require.Contains(t, c.URL(), "redis+cluster://127.0.0.1:")
	moved := 0
	for _, n := range c.Nodes {
		if n.Admin.Set(t.Context(), "k", "v", 0).Err() != nil {
			moved++
		}
	}
	require.Equal(t, 2, moved, "one node has the slot")
}

func TestAReplicaOfAClusterTakesOver(t *testing.T) {
	t.Parallel()
	c := redistest.NewCluster(t)
	follower := c.Follow(t, c.Nodes[1])
	c.Nodes[1].Kill(t)
	redistest.Eventually(t, func() error {
		if follower.Do(t, "ROLE").([]any)[0] != "master" {
			return errors.New("the replica was not promoted")
		}
		return nil
	})
}
