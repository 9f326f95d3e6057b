package hotname

import (
	"math/bits"
	"sync/atomic"
)

// The size of a sketch, 1 MB: lines of a cache line each, with rows of a few cells. A hash
// has one line, and there one cell of each row, chosen by bits that no other choice uses.
const (
	lineBits  = 14
	depth     = 4
	cellBits  = 2
	countBits = 16
)

// sketch counts how often hashes were seen in the current second. Its methods may be
// called at the same time.
type sketch struct {
	threshold uint32
	second    atomic.Uint32
	// A cell is the number of a second, its lowest 16 bits, then the count of that. The
	// number comes again after 18 hours, when a cell that was not used since is too high.
	lines *[1 << lineBits][depth][1 << cellBits]atomic.Uint32
}

func newSketch(threshold int) sketch {
	return sketch{threshold: uint32(threshold), lines: new([1 << lineBits][depth][1 << cellBits]atomic.Uint32)}
}

// add counts one, and says whether a hash has just reached the threshold. Of two that
// meet at a cell one may be lost. Of a name that is hot all cells are only read.
func (s *sketch) add(hash uint64) bool {
	second := s.second.Load() << countBits
	hash = mix(hash, second)
	line := &s.lines[hash%(1<<lineBits)]
	var cells [depth]*atomic.Uint32
	var seen, counts [depth]uint32
	least := s.threshold
	for i := range cells {
		cells[i] = &line[i][hash>>(lineBits+i*cellBits)%(1<<cellBits)]
		seen[i] = cells[i].Load()
		if seen[i]>>countBits == second>>countBits {
			counts[i] = seen[i] & MaxThreshold
		}
		least = min(least, counts[i])
	}
	if least == s.threshold {
		return false
	}
	for i, cell := range cells {
		if counts[i] == least { // the others are too high already
			cell.CompareAndSwap(seen[i], second|(least+1))
		}
	}
	return least+1 == s.threshold
}

// mix gives a hash other cells in each second: two names may have the same ones, and hide
// each other, but not for long.
func mix(hash uint64, second uint32) uint64 {
	const odd = 0x9e3779b97f4a7c15
	high, low := bits.Mul64(hash^uint64(second)*odd, odd)
	return high ^ low
}

// turn begins the next second.
func (s *sketch) turn() { s.second.Add(1) }
