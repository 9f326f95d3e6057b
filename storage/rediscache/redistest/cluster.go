package redistest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// slots is how many a Redis Cluster has.
const slots = 16384

// Cluster is some primaries that share the slots evenly, without replicas but those of Follow.
type Cluster struct {
	Nodes []*Server

	known int // nodes, replicas too
}

// NewCluster starts a cluster of three nodes, and returns when all of them serve.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{}
	for range 3 {
		c.Nodes = append(c.Nodes, c.add(t))
	}
	for i, n := range c.Nodes {
		n.Do(t, "CLUSTER", "ADDSLOTSRANGE", i*slots/3, (i+1)*slots/3-1)
	}
	c.awaitWhole(t)
	return c
}

// Follow starts a replica of a node, and returns when it can take over.
func (c *Cluster) Follow(t testing.TB, n *Server) *Server {
	t.Helper()
	r := c.add(t)
	Eventually(t, func() error {
		return r.Admin.ClusterReplicate(context.Background(), n.Do(t, "CLUSTER", "MYID").(string)).Err()
	})
	Eventually(t, r.follows)
	c.awaitWhole(t)
	return r
}

// add starts a node that meets the first one.
func (c *Cluster) add(t testing.TB) *Server {
	t.Helper()
	bus := strconv.Itoa(freePort(t))
	n := New(t, "cluster-enabled", "yes", "cluster-port", bus, "cluster-node-timeout", "2000")
	if c.known++; c.known > 1 {
		first := c.Nodes[0]
		n.Do(t, "CLUSTER", "MEET", "127.0.0.1", first.Port, first.busPort(t))
	}
	return n
}

// awaitWhole waits until the primaries see a whole cluster.
func (c *Cluster) awaitWhole(t testing.TB) {
	t.Helper()
	for _, n := range c.Nodes {
		Eventually(t, func() error { return n.serves(c.known) })
	}
}

func (s *Server) busPort(t testing.TB) string {
	return s.Do(t, "CONFIG", "GET", "cluster-port").([]any)[1].(string)
}

// serves says why the node does not see a whole cluster of so many.
func (s *Server) serves(nodes int) error {
	info, err := s.Admin.ClusterInfo(context.Background()).Result()
	if err == nil && !(strings.Contains(info, "cluster_state:ok") && strings.Contains(info, fmt.Sprintf("cluster_known_nodes:%d\r", nodes))) {
		err = fmt.Errorf("cluster is not whole: %s", info)
	}
	return err
}

// URL is the cluster as the gateway's flag names it.
func (c *Cluster) URL() string { return "redis+cluster://" + addresses(c.Nodes) }
