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

// Cluster is some primaries that share the slots evenly, without replicas.
type Cluster struct {
	Nodes []*Server
}

// NewCluster starts a cluster of three nodes, and returns when all of them serve.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	c := &Cluster{}
	for range 3 {
		bus := strconv.Itoa(freePort(t))
		c.Nodes = append(c.Nodes, New(t, "cluster-enabled", "yes", "cluster-port", bus, "cluster-node-timeout", "2000"))
	}
	for i, n := range c.Nodes {
		n.Do(t, "CLUSTER", "ADDSLOTSRANGE", i*slots/3, (i+1)*slots/3-1)
		first := c.Nodes[0]
		n.Do(t, "CLUSTER", "MEET", "127.0.0.1", first.Port, first.busPort(t))
	}
	for _, n := range c.Nodes {
		Eventually(t, n.serves)
	}
	return c
}

func (s *Server) busPort(t testing.TB) string {
	return s.Do(t, "CONFIG", "GET", "cluster-port").([]any)[1].(string)
}

// serves says why the node does not see a whole cluster.
func (s *Server) serves() error {
	info, err := s.Admin.ClusterInfo(context.Background()).Result()
	if err == nil && !(strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3")) {
		err = fmt.Errorf("cluster is not whole: %s", info)
	}
	return err
}

// URL is the cluster as the gateway's flag names it.
func (c *Cluster) URL() string { return "redis+cluster://" + addresses(c.Nodes) }
