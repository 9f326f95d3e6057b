package member

// broadcast is a message that is still to be sent some times.
type broadcast struct {
	message []byte
	key     string // of what it replaces; empty: nothing
	origin  Origin
	number  uint64 // in the origin's sequence
	left    int    // how many times it is still to be sent
}

// replaces says whether it is newer than another one of its key.
func (b *broadcast) replaces(other *broadcast) bool {
	if b.origin.Boot != other.origin.Boot {
		return b.origin.Boot > other.origin.Boot
	}
	return b.number > other.number
}

// ring is a queue in a fixed array.
type ring struct {
	slots []*broadcast
	head  int
	size  int
}

func (r *ring) front() *broadcast { return r.slots[r.head] }

func (r *ring) pop() *broadcast {
	b := r.slots[r.head]
	r.slots[r.head] = nil
	r.head = (r.head + 1) % len(r.slots)
	r.size--
	return b
}

// push needs a free slot.
func (r *ring) push(b *broadcast) {
	r.slots[(r.head+r.size)%len(r.slots)] = b
	r.size++
}
