package bloomnet

import "sync/atomic"

// Stats count what a replica did, since its start.
type Stats struct {
	// Built are bases made from tables, Folded those made from a former one and what was
	// recent, Pulled images that others gave.
	Built, Folded, Pulled atomic.Uint64
	// Verified are comparisons of a shard with its table, Missed the names that the filter
	// ought to have had: any is a fault of the program.
	Verified, Missed atomic.Uint64
	// HintsDropped are hints that were not sent for want of room.
	HintsDropped atomic.Uint64
}

// Stats may be read at any time.
func (n *Net) Stats() *Stats { return &n.stats }
