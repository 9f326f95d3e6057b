package bloomnet

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"namegate/bloomnet/member"
)

// summary is as much of a head as tells which of two bases is newer.
type summary struct{ epoch, build uint32 }

func (s summary) newer(o summary) bool {
	return s.epoch > o.epoch || s.epoch == o.epoch && s.build > o.build
}

// summarySize is that of an encoded summary: epoch, then build, little-endian.
const summarySize = 8

func appendSummary(b []byte, s summary) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, s.epoch), s.build)
}

func readSummary(b []byte) summary {
	return summary{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}
}

// heads is which base of each shard each replica is known to have.
type heads struct {
	shards   int
	mu       sync.Mutex
	of       map[string][]summary
	prepared atomic.Pointer[[]byte] // the digest of this replica's own
}

func newHeads(shards int) heads { return heads{shards: shards, of: map[string][]summary{}} }

// digest is what this replica has of all shards, for others.
func (h *heads) digest() []byte {
	if b := h.prepared.Load(); b != nil {
		return *b
	}
	return nil
}

// prepare makes the digest.
func (h *heads) prepare(own []summary) {
	b := make([]byte, 0, len(own)*summarySize)
	for _, s := range own {
		b = appendSummary(b, s)
	}
	h.prepared.Store(&b)
}

// learn notes what a replica has of the shards from a first one on. What is not of this
// fleet's size is ignored.
func (h *heads) learn(replica string, first int, encoded []byte) {
	count := len(encoded) / summarySize
	if len(encoded)%summarySize != 0 || first < 0 || first+count > h.shards {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of[replica] == nil {
		h.of[replica] = make([]summary, h.shards)
	}
	for i := range count {
		if s := readSummary(encoded[i*summarySize:]); s != (summary{}) { // nothing is told of it
			h.of[replica][first+i] = s
		}
	}
}

// drop forgets that a replica has a base of a shard, as it said that it has not.
func (h *heads) drop(holder member.Member, number int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if list := h.of[holder.Replica]; list != nil {
		list[number] = summary{}
	}
}

// keep forgets all replicas but those that are there.
func (h *heads) keep(members []member.Member) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for replica := range h.of {
		if !slices.ContainsFunc(members, func(m member.Member) bool { return m.Replica == replica }) {
			delete(h.of, replica)
		}
	}
}

// best is the newest base of a shard that some of these replicas have, and who has it.
func (h *heads) best(members []member.Member, number int) (newest summary, holders []member.Member) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range members {
		list := h.of[m.Replica]
		if list == nil || m.Foreign || !m.Transfer.IsValid() || list[number] == (summary{}) {
			continue
		}
		if list[number].newer(newest) {
			newest, holders = list[number], nil
		}
		if list[number] == newest {
			holders = append(holders, m)
		}
	}
	return newest, holders
}
