package bloom

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A block that lay across two cache lines would cost a look-up two misses.
func TestBlocksAreCacheLines(t *testing.T) {
	t.Parallel()
	require.EqualValues(t, 64, unsafe.Sizeof(block{}))
	const n = 3
	memory := make([]byte, 64+(n+1)*lineBytes-1)
	for offset := range uintptr(64) {
		blocks := wholeLines(memory[offset:][:(n+1)*lineBytes-1])
		require.Len(t, blocks, n)
		first := uintptr(unsafe.Pointer(&blocks[0]))
		require.Zero(t, first%64)
		require.Less(t, first-uintptr(unsafe.Pointer(&memory[offset])), uintptr(64))
	}
	for n := 1; n < 100_000; n += 1 + n/10 {
		blocks := newBlocks(n)
		require.Len(t, blocks, n)
		require.Zero(t, uintptr(unsafe.Pointer(&blocks[0]))%64, "%d blocks", n)
	}
}

func TestSizesAreBounded(t *testing.T) {
	t.Parallel()
	for names, want := range map[uint64]int{
		0: 1, 1: 1, 32: 1, 33: 2, MaxNames: maxBlocks, MaxNames + 1: maxBlocks, ^uint64(0): maxBlocks,
	} {
		require.Equal(t, want, blocksFor(names), "%d names", names)
	}
}
