package member

import (
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/memberlist"
)

// table is who is there. memberlist's callbacks keep it, one at a time and under a lock
// of memberlist's: nothing here waits or calls memberlist.
type table struct {
	own     Member // for version and fingerprint
	tally   *tally
	journal *journal
	changed chan struct{} // holds at most one signal

	mu       sync.Mutex       // guards all below
	nodes    map[string]entry // by memberlist's name
	departed departures
	told     map[string]bool // foreign replicas that were logged
	view     atomic.Pointer[View]
}

// entry is a node of memberlist: one start of a replica.
type entry struct {
	Member
	node  memberlist.Node
	since time.Time
}

func newTable(own Member, tally *tally, journal *journal) *table {
	t := &table{
		own: own, tally: tally, journal: journal,
		changed: make(chan struct{}, 1),
		nodes:   map[string]entry{}, departed: departures{}, told: map[string]bool{},
	}
	t.view.Store(new(View))
	return t
}

var _ memberlist.EventDelegate = (*table)(nil)

// NotifyJoin is memberlist's call for a node that is there.
func (t *table) NotifyJoin(n *memberlist.Node) { t.put(n) }

// NotifyUpdate is memberlist's call for a node whose meta data changed.
func (t *table) NotifyUpdate(n *memberlist.Node) { t.put(n) }

// NotifyLeave is memberlist's call for a node that left or died.
func (t *table) NotifyLeave(n *memberlist.Node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	gone, ok := t.nodes[n.Name]
	if !ok {
		return
	}
	delete(t.nodes, n.Name)
	if gone.Replica != t.own.Replica && !t.runs(gone.Replica) {
		t.departed.add(gone.Member)
	}
	t.publish()
}

// runs says whether some start of a replica is there.
func (t *table) runs(replica string) bool {
	for _, e := range t.nodes {
		if e.Replica == replica {
			return true
		}
	}
	return false
}

func (t *table) put(n *memberlist.Node) {
	m, err := decodeMeta(n.Meta, t.own.Version)
	if err != nil || m.node() != n.Name {
		t.tally.add(malformed)
		return
	}
	m.Gossip = gossipAddress(n)
	m.Foreign = m.Version != t.own.Version || m.Fingerprint != t.own.Fingerprint
	t.mu.Lock()
	defer t.mu.Unlock()
	since := time.Now()
	if before, there := t.nodes[n.Name]; there {
		since = before.since
	}
	t.nodes[n.Name] = entry{m, memberlist.Node{Name: n.Name, Addr: slices.Clone(n.Addr), Port: n.Port, PMax: n.PMax}, since}
	t.departed.remove(m.Replica)
	t.tell(m)
	t.publish()
}

func gossipAddress(n *memberlist.Node) netip.AddrPort {
	ip, _ := netip.AddrFromSlice(n.Addr)
	return netip.AddrPortFrom(ip.Unmap(), n.Port)
}
