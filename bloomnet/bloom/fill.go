package bloom

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// Fill is the part of the bits that are set, 0 to 1. It reads the whole filter.
func (f *Filter) Fill() float64 {
	return float64(f.ones()) / float64(len(f.blocks)*blockBits)
}

func (f *Filter) ones() int {
	ones := 0
	for i := range f.blocks {
		for j := range f.blocks[i] {
			ones += bits.OnesCount64(atomic.LoadUint64(&f.blocks[i][j]))
		}
	}
	return ones
}

// Names estimates how many different names were added, from the bits that are set. It
// reads the whole filter. The error is under 1 % for thousands of names, up to several
// times the capacity; a filter whose bits are all set gives the most it can tell.
//
// A bit of a block with n names is clear with probability q^n, q = (511/512)^9, and n is
// Poisson distributed with mean m, so a part exp(-m(1-q)) of all bits is clear.
func (f *Filter) Names() uint64 {
	all := len(f.blocks) * blockBits
	unset := float64(max(all-f.ones(), 1)) / float64(all)
	q := math.Pow(float64(blockBits-1)/blockBits, patternBits)
	return uint64(math.Round(-math.Log(unset) / (1 - q) * float64(len(f.blocks))))
}
