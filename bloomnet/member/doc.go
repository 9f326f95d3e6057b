// Package member is the membership of a cluster of replicas, and the small messages
// between them. It knows nothing of what they are about: payloads are bytes.
//
// # Membership
//
// hashicorp/memberlist finds out who is there and who has died. Members is a table of
// our own, kept by its callbacks: memberlist's list shares memory with it. A node of
// memberlist is one start of a replica, named by replica and boot, as memberlist takes
// a name back at another address only long after a crash; of the starts of a replica
// the newest counts. What a replica says of itself (state, fingerprint, address of its
// transfer listener) travels with its node. A replica says that it is draining before
// it leaves, as memberlist does not tell leaving from dying.
//
// # Messages
//
// None is certain to arrive; all may be lost, late, out of order, and some twice.
//
//	Broadcast  small, rare, passed on by every replica that sees it for the first time
//	SendAll    one datagram to each replica, for what is worth nothing a second later
//	Digest     what two replicas tell each other each 10 s; repairs the first two
//
// Every message names its origin and carries a sequence number, by which repeats are
// recognised, and a checksum. Replicas whose wire version or fingerprint differ share
// nothing: their messages are refused and counted, and it is logged once for a replica.
//
// # What memberlist is not used for
//
// Its broadcast queue loses messages of equal length, its compression doubles the cost
// of random bits, its reliable messages have no deadline and no acknowledgement, and it
// forgets the dead, so that a partition longer than half a minute never heals. Queue and
// rejoining are of this package; compression is off; nothing large is sent by it.
//
// # Concurrency
//
// Nothing that memberlist calls waits: it hands over to bounded queues, and what does
// not fit is dropped and counted. Each handler of Options is called by one goroutine of
// its own, so calls of one never overlap. Time is that of package time, as memberlist
// takes no other; tests run in testing/synctest.
package member
