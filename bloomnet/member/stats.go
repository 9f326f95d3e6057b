package member

import "sync/atomic"

// Stats counts since the start.
type Stats struct {
	// Sent counts a message for each replica that it is sent to.
	Sent Planes
	// Received counts those of other replicas that were accepted, once each.
	Received Planes
	Refused  Refused
	Dropped  Dropped
	Joins    Joins
}

// Planes are the ways of a message.
type Planes struct{ Gossip, Direct, Digest uint64 }

// Refused counts messages by why they were not accepted.
type Refused struct {
	Malformed   uint64 // no replica makes such a message, or meta data
	Corrupted   uint64 // wrong checksum
	TooLarge    uint64 // also an own digest
	Version     uint64
	Fingerprint uint64
	Repeated    uint64 // seen before, or too old to tell
}

// Dropped counts what was lost for want of room or of a network.
type Dropped struct {
	Queued  uint64 // own broadcasts and those passed on: the queue was full
	Waiting Planes // accepted, but the handler was behind
	Failed  uint64 // datagrams that the network refused
	Log     uint64 // lines
}

// Joins counts attempts to join the replica at an address.
type Joins struct{ Done, Failed, Unresolved uint64 }

// counter is an index of a tally.
type counter int

const (
	accepted counter = iota // that is, not refused; counts nothing
	malformed
	corrupted
	tooLarge
	foreignVersion
	foreignFingerprint
	repeated
	sentGossip
	sentDirect
	sentDigest
	receivedGossip
	receivedDirect
	receivedDigest
	droppedQueued
	droppedGossip
	droppedDirect
	droppedDigest
	droppedSend
	droppedLog
	joined
	joinFailed
	unresolved
	counters
)

type tally [counters]atomic.Uint64

func (t *tally) add(c counter) { t[c].Add(1) }

// Stats may be called at any time.
func (c *Cluster) Stats() Stats {
	n := func(i counter) uint64 { return c.tally[i].Load() }
	return Stats{
		Sent:     Planes{n(sentGossip), n(sentDirect), n(sentDigest)},
		Received: Planes{n(receivedGossip), n(receivedDirect), n(receivedDigest)},
		Refused: Refused{
			Malformed: n(malformed), Corrupted: n(corrupted), TooLarge: n(tooLarge),
			Version: n(foreignVersion), Fingerprint: n(foreignFingerprint), Repeated: n(repeated),
		},
		Dropped: Dropped{
			Queued:  n(droppedQueued),
			Waiting: Planes{n(droppedGossip), n(droppedDirect), n(droppedDigest)},
			Failed:  n(droppedSend),
			Log:     n(droppedLog),
		},
		Joins: Joins{Done: n(joined), Failed: n(joinFailed), Unresolved: n(unresolved)},
	}
}
