package member

import (
	"fmt"
	"log"
	"time"

	"github.com/hashicorp/memberlist"
)

// Settings of memberlist that are not those of its DefaultLANConfig. A round of gossip
// each 50 ms, to 4, brings a message to 50 replicas in some 150 ms.
const (
	gossipInterval = 50 * time.Millisecond
	gossipNodes    = 4
	streamTimeout  = 5 * time.Second
	handoffDepth   = 8192 // messages, of which a packet may hold many
	// digestInterval is how soon all is told where no datagram comes through.
	digestInterval = 10 * time.Second
)

// config leaves out compression, which makes random bits longer and costs on every
// packet, and delegate versions: one node that differs would end all exchanges of state.
func (c *Cluster) config(t memberlist.NodeAwareTransport) (*memberlist.Config, error) {
	m := memberlist.DefaultLANConfig()
	m.Name = c.own.node()
	m.Label = c.options.Cluster
	m.Transport = t
	m.BindPort = int(c.own.Gossip.Port())
	m.AdvertiseAddr = c.own.Gossip.Addr().String()
	m.AdvertisePort = int(c.own.Gossip.Port())
	m.EnableCompression = false
	m.GossipInterval, m.GossipNodes = gossipInterval, gossipNodes
	m.PushPullInterval, m.TCPTimeout = digestInterval, streamTimeout
	m.HandoffQueueDepth = handoffDepth
	m.Delegate, m.Events = delegate{c}, c.table
	m.Logger = log.New(c.journal, "", 0)
	if len(c.options.Keys) > 0 {
		ring, err := memberlist.NewKeyring(c.options.Keys, c.options.Keys[0])
		if err != nil {
			return nil, fmt.Errorf("gossip keys: %w", err)
		}
		m.Keyring = ring
	}
	return m, nil
}
