package bloom

import (
	"math/bits"
	"sync/atomic"
)

// Sizes of a filter.
const (
	// BitsPerName is what a filter takes of memory for each name it is sized for.
	BitsPerName = 16
	// MaxNames bounds the size of one filter, to 2 GiB of memory. A filter made for more
	// is made for so many.
	MaxNames = 1 << 30
)

const (
	blockBits     = 512
	blockWords    = blockBits / 64
	namesPerBlock = blockBits / BitsPerName
	maxBlocks     = MaxNames / namesPerBlock

	// patternBits are set in its block by each name. Seven positions, of positionBits
	// each, are taken from the Hash's low word, the others from the low end of the high
	// word, whose other end chooses the block.
	patternBits    = 9
	positionBits   = 9 // log2(blockBits)
	positionsOfLow = 7 // 64 / positionBits
)

// block is one cache line.
type block [blockWords]uint64

// Filter is a blocked Bloom filter. The zero Filter is there to be unmarshalled into, and
// fit for nothing before that.
type Filter struct {
	blocks []block // at a multiple of 64 bytes; shared words, see the package comment
}

// New makes an empty filter for so many names, of which BitsPerName tells its size.
func New(names uint64) *Filter {
	return &Filter{blocks: newBlocks(blocksFor(names))}
}

// blocksFor is from 1 to maxBlocks.
func blocksFor(names uint64) int {
	names = min(max(names, 1), MaxNames)
	return int((names + namesPerBlock - 1) / namesPerBlock)
}

// Capacity is the number of names up to which false positives are as rare as the package
// comment says.
func (f *Filter) Capacity() uint64 { return uint64(len(f.blocks)) * namesPerBlock }

// block is the one with a name's bits. The high half of a product scales a uniform word
// to a uniform index without a division (Lemire, Fast Random Integer Generation in an
// Interval, 2019).
func (f *Filter) block(h Hash) *block {
	i, _ := bits.Mul64(h.Hi, uint64(len(f.blocks)))
	return &f.blocks[i]
}

// Has says whether the name may have been added; false is certain. It looks at three bits
// together, which is enough for 11 of 12 absent names, then at the others together:
// stopping at each bit would mean branches that nobody can predict, and looking at all
// always means instructions that keep the processor from starting on the next name while
// this one waits for memory.
func (f *Filter) Has(h Hash) bool {
	b, lo, hi := f.block(h), h.Lo, h.Hi
	if b.bit(lo)&b.bit(lo>>9)&b.bit(lo>>18)&1 == 0 {
		return false
	}
	return b.bit(lo>>27)&b.bit(lo>>36)&b.bit(lo>>45)&b.bit(lo>>54)&b.bit(hi)&b.bit(hi>>9)&1 != 0
}

// Add adds a name, for good.
func (f *Filter) Add(h Hash) {
	b := f.block(h)
	for i := range positionsOfLow {
		b.set(h.Lo >> (i * positionBits))
	}
	for i := range patternBits - positionsOfLow {
		b.set(h.Hi >> (i * positionBits))
	}
}

// bit has the bit at a position, the low positionBits of p, as its lowest; the others
// mean nothing.
func (b *block) bit(p uint64) uint64 {
	return atomic.LoadUint64(&b[p>>6%blockWords]) >> (p % 64)
}

func (b *block) set(p uint64) {
	atomic.OrUint64(&b[p>>6%blockWords], 1<<(p%64))
}

// Clone makes a filter of its own with the same names. It has all whose Add returned
// before, and may have some of those being added.
func (f *Filter) Clone() *Filter {
	clone := &Filter{blocks: newBlocks(len(f.blocks))}
	for i := range f.blocks {
		for j := range f.blocks[i] {
			clone.blocks[i][j] = atomic.LoadUint64(&f.blocks[i][j])
		}
	}
	return clone
}
