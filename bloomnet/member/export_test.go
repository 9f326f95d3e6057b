package member

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"

	"github.com/hashicorp/memberlist"
)

// Queue of broadcasts.
type Queue struct {
	*queue
	drops *tally
}

// NewQueue gives an empty one.
func NewQueue() Queue {
	drops := new(tally)
	return Queue{newQueue(drops), drops}
}

// Put queues a message.
func (q Queue) Put(class Class, key string, boot, number uint64, times int, message string) error {
	return q.put(class, &broadcast{
		message: []byte(message), key: key, origin: Origin{Boot: boot}, number: number, left: times,
	})
}

// Take is what a packet takes.
func (q Queue) Take(overhead, limit int) []string {
	var taken []string
	for _, message := range q.take(overhead, limit) {
		taken = append(taken, string(message))
	}
	return taken
}

// Drops is how many messages were dropped.
func (q Queue) Drops() uint64 { return q.drops[droppedQueued].Load() }

// Bounds of the package.
const (
	MaxQueued    = maxQueued
	MaxParts     = maxParts
	MaxSent      = maxSent
	MaxPeers     = maxPeers
	MaxOrigins   = maxOrigins
	MaxFrame     = frameSize + MaxPayload
	WindowSize   = windowSize
	PlaneDirect  = planeDirect
	PlaneDigest  = planeDigest
	MaxDeparture = maxDepartures
)

// Transmits is how often a message is sent in a cluster of n.
func Transmits(n int) int { return transmits(n) }

// Envelope is a message with all that is around it.
type Envelope struct {
	Version      uint8
	Plane        byte
	Kind         byte
	Fingerprint  Fingerprint
	Origin       Origin
	Sequence     uint64
	Key, Payload []byte
}

// Encode gives the message's bytes.
func (e Envelope) Encode() []byte {
	f := frame{
		version: e.Version, plane: plane(e.Plane), kind: e.Kind, fingerprint: e.Fingerprint,
		origin: e.Origin, sequence: e.Sequence, key: e.Key, payload: e.Payload,
	}
	return f.encode()
}

// Parse undoes Encode, or says no.
func Parse(b []byte, version uint8) (Envelope, bool) {
	f, verdict := parse(b, version)
	return Envelope{
		Version: f.version, Plane: byte(f.plane), Kind: f.kind, Fingerprint: f.fingerprint,
		Origin: f.origin, Sequence: f.sequence, Key: f.key, Payload: f.payload,
	}, verdict == accepted
}

// EncodeMeta is what a replica says of itself.
func EncodeMeta(m Member) []byte { return appendMeta(nil, m) }

// DecodeMeta undoes EncodeMeta.
func DecodeMeta(b []byte, version uint8) (Member, error) { return decodeMeta(b, version) }

// Receive gives the cluster a message as memberlist does.
func (c *Cluster) Receive(b []byte) { delegate{c}.NotifyMsg(b) }

// ReceiveDigest gives the cluster a digest as memberlist does.
func (c *Cluster) ReceiveDigest(b []byte) { delegate{c}.MergeRemoteState(b, false) }

// Origins is how many origins the cluster remembers messages of.
func (c *Cluster) Origins() int {
	c.history.mu.Lock()
	defer c.history.mu.Unlock()
	return len(c.history.young) + len(c.history.old)
}

// NotifyJoin tells the cluster of a replica as memberlist does.
func (c *Cluster) NotifyJoin(m Member) { c.table.NotifyJoin(nodeOf(m)) }

// NotifyJoinAs tells it of a replica under a name that need not be its.
func (c *Cluster) NotifyJoinAs(name string, m Member) {
	node := nodeOf(m)
	node.Name = name
	c.table.NotifyJoin(node)
}

// NotifyLeave tells the cluster of a replica's end as memberlist does.
func (c *Cluster) NotifyLeave(m Member) { c.table.NotifyLeave(nodeOf(m)) }

// Table is of members without a cluster.
type Table struct{ t *table }

// NewTable gives an empty one.
func NewTable(own Member) Table {
	drops := new(tally)
	return Table{newTable(own, drops, newJournal(slog.New(slog.DiscardHandler), drops))}
}

// ComeAndGo lets a replica join and die.
func (t Table) ComeAndGo(m Member) {
	t.t.NotifyJoin(nodeOf(m))
	t.t.NotifyLeave(nodeOf(m))
}

// Refresh is the view without what is too old.
func (t Table) Refresh() *View { return t.t.refresh() }

func nodeOf(m Member) *memberlist.Node {
	return &memberlist.Node{Name: m.node(), Addr: net.IPv4(10, 9, 0, 1), Port: 7946, Meta: appendMeta(nil, m)}
}

// Someone is the nth of some replicas like the given one.
func Someone(n int, like Member) Member {
	like.Replica, like.State = fmt.Sprintf("someone-%d", n), Ready
	like.Transfer = netip.MustParseAddrPort("10.9.0.1:7947")
	return like
}

// First says whether a message is new.
type First func(o Origin, plane byte, n uint64) bool

// NewHistory remembers messages.
func NewHistory() First {
	h := newHistory()
	return func(o Origin, p byte, n uint64) bool { return h.first(o, plane(p), n) }
}
