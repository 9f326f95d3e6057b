package member

import "github.com/hashicorp/memberlist"

// delegate has what memberlist calls; nothing in it waits.
type delegate struct{ c *Cluster }

var _ memberlist.Delegate = delegate{}

// NodeMeta is what this replica says of itself.
func (d delegate) NodeMeta(int) []byte { return *d.c.meta.Load() }

// NotifyMsg is given a broadcast or a datagram, in bytes that are used again.
func (d delegate) NotifyMsg(b []byte) { d.c.receive(b) }

// GetBroadcasts is asked what to put into a packet.
func (d delegate) GetBroadcasts(overhead, limit int) [][]byte {
	messages := d.c.queue.take(overhead, limit)
	d.c.tally[sentGossip].Add(uint64(len(messages)))
	return messages
}

// LocalState is what another replica gets when both exchange all they know.
func (d delegate) LocalState(bool) []byte { return d.c.localDigest() }

// MergeRemoteState is given what the other replica has, in bytes of its own.
func (d delegate) MergeRemoteState(b []byte, _ bool) { d.c.receiveDigest(b) }
