package rediscache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/rediscache"
	"namegate/storage/rediscache/redistest"
)

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

// A replica of a node takes over, be it that of what is known of the cache as a whole or that
// of some names: all who use the cache find it soon, also those who follow no feed.
func TestClusterFailover(t *testing.T) {
	t.Parallel()
	for title, control := range map[string]bool{"of control": true, "of names alone": false} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			cluster, d := redistest.NewCluster(t), newDatabase("a")
			c, other := open(t, options(t, cluster.URL())), open(t, options(t, cluster.URL()))
			follow(t, c, d)
			requireLive(t, c, other)
			node := nodeOf(t, cluster, control)
			cluster.Follow(t, node)
			node.Kill(t)
			for _, n := range []string{"ada", "bob", "cyd", "dee", "eve", "fay", "gus", "hal"} {
				for _, one := range []*rediscache.Cache{c, other} {
					eventually(t, func() bool { _, fromRedis := lookup(t, one, d, name(n)); return fromRedis }, "it comes of Redis")
				}
			}
		})
	}
}

// nodeOf is one that knows of the cache as a whole, or one that does not.
func nodeOf(t *testing.T, c *redistest.Cluster, control bool) *redistest.Server {
	t.Helper()
	for _, node := range c.Nodes {
		if knows := len(node.Do(t, "KEYS", "*{control}*").([]any)) > 0; knows == control {
			return node
		}
	}
	require.Fail(t, "no such node")
	return nil
}
