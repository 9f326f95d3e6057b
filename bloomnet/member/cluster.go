package member

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/memberlist"
)

// ErrClosed is of what needs a cluster that is not closed.
var ErrClosed = errors.New("the cluster's membership has ended")

// Cluster is a replica's membership in a cluster.
type Cluster struct {
	options Options
	own     Member // but for its state
	list    *memberlist.Memberlist
	tally   tally
	journal *journal
	table   *table
	queue   *queue
	history *history
	unknown unknown
	next    [sequences]atomic.Uint64

	gossip, direct, digests inbox

	joined  chan struct{}
	cancel  context.CancelFunc
	workers sync.WaitGroup

	meta   atomic.Pointer[[]byte]
	turn   turn // taken while state, and what memberlist does with it, changes
	state  State
	closed bool
}

// Start makes the replica a member, alone at first; it then joins others, and looks for
// more, until Leave or Close, one of which must be called. Handlers are given a context
// of ctx. When that ends, they, the looking for others and streams to these do too, and
// nothing else.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("need for a cluster: %w", err)
	}
	o.defaults()
	ctx, cancel := context.WithCancel(ctx)
	c := newCluster(o, cancel)
	if err := c.open(ctx); err != nil {
		cancel()
		return nil, err
	}
	for _, work := range []func(context.Context){
		c.journal.write, c.gossip.serve, c.direct.serve, c.digests.serve, c.rejoin,
	} {
		c.workers.Go(func() { work(ctx) })
	}
	return c, nil
}

func newCluster(o Options, cancel context.CancelFunc) *Cluster {
	c := &Cluster{
		options: o, cancel: cancel, state: Joining,
		own: Member{
			Origin:  Origin{Replica: o.Replica, Boot: o.Boot},
			Version: o.Version, Fingerprint: o.Fingerprint, Transfer: o.Transfer,
		},
		history: newHistory(),
		gossip:  inbox{make(chan Message, maxGossiped), o.Gossiped, receivedGossip, droppedGossip},
		direct:  inbox{make(chan Message, maxSent), o.Sent, receivedDirect, droppedDirect},
		digests: inbox{make(chan Message, maxDigests), o.MergeDigest, receivedDigest, droppedDigest},
		joined:  make(chan struct{}),
		turn:    make(turn, 1),
	}
	c.journal = newJournal(o.Log, &c.tally)
	c.table = newTable(c.own, &c.tally, c.journal)
	c.unknown = unknown{tally: &c.tally, journal: c.journal, hosts: map[string]bool{}}
	c.queue = newQueue(&c.tally)
	c.describe()
	return c
}

func (c *Cluster) open(ctx context.Context) error {
	t, address, err := c.transport(ctx)
	if err != nil {
		return err
	}
	c.own.Gossip = address
	config, err := c.config(t)
	if err == nil {
		c.list, err = memberlist.Create(config)
	}
	if err != nil {
		_ = t.Shutdown()
		return fmt.Errorf("start membership: %w", err)
	}
	return nil
}

// describe makes the meta data anew.
func (c *Cluster) describe() {
	m := c.own
	m.State = c.state
	meta := appendMeta(nil, m)
	c.meta.Store(&meta)
}

// Address is where others reach this replica's gossip.
func (c *Cluster) Address() netip.AddrPort { return c.own.Gossip }

// Joined is closed when the first attempt to reach the addresses of Join has ended,
// whatever came of it: the View is then not of this replica alone for want of time.
func (c *Cluster) Joined() <-chan struct{} { return c.joined }
