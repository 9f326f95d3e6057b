package member

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Fingerprint is of all that the replicas' shared data is made of. Only replicas of one
// fingerprint share anything.
type Fingerprint [8]byte

// String is the fingerprint in hexadecimal.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// Origin is one start of a replica.
type Origin struct {
	Replica string // stable over restarts
	Boot    uint64 // greater at each start
}

// node is the name under which memberlist knows the origin.
func (o Origin) node() string { return fmt.Sprintf("%s.%016x", o.Replica, o.Boot) }

const maxReplica = 32

var errReplica = errors.New("a replica's id is 1 to 32 of a-z A-Z 0-9 . _ -")

// checkReplica keeps out what could not be printed to a log as it is.
func checkReplica(id string) error {
	if len(id) < 1 || len(id) > maxReplica {
		return errReplica
	}
	for _, c := range []byte(id) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return errReplica
		}
	}
	return nil
}

// State is how far a replica is.
type State byte

// Joining: it has not all data yet. Ready: it has. Draining: it is about to leave.
const (
	Joining State = iota + 1
	Ready
	Draining
)

// String is for logs.
func (s State) String() string {
	switch s {
	case Joining:
		return "joining"
	case Ready:
		return "ready"
	case Draining:
		return "draining"
	}
	return "unknown"
}

func (s State) valid() bool { return Joining <= s && s <= Draining }

// Member is what a replica says of itself.
type Member struct {
	Origin
	Version     uint8
	Fingerprint Fingerprint
	// Foreign says that version or fingerprint are not this replica's: nothing is shared
	// with it. Of another version State and Transfer are not known.
	Foreign  bool
	State    State
	Gossip   netip.AddrPort
	Transfer netip.AddrPort
}

// Departure is of a replica that is not there any more.
type Departure struct {
	Member
	At time.Time
}

// Left says that the replica had announced it, so that it has most likely been stopped
// on purpose; else it crashed or cannot be reached.
func (d Departure) Left() bool { return d.State == Draining }

// Message is one that another replica made.
type Message struct {
	Origin Origin
	Kind   byte
	// Payload must not be changed: the same bytes may be waiting to be passed on.
	Payload []byte
}
