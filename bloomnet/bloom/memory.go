package bloom

import "unsafe"

const lineBytes = blockBits / 8

// hugePage is the size of a huge page on the usual machines. From half of one on, it is
// worth it to ask for them.
const hugePage = 2 << 20

// newBlocks allocates n > 0 empty blocks. The allocator does not promise memory at a
// multiple of 64 bytes, so most of a line more is asked for than is needed.
func newBlocks(n int) []block {
	memory := make([]byte, (n+1)*lineBytes-1)
	if len(memory) >= hugePage/2 {
		adviseHugePages(memory)
	}
	return wholeLines(memory)
}

// wholeLines are the cache lines that lie in memory, of which there is one at least. They
// keep all of it alive.
func wholeLines(memory []byte) []block {
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) % lineBytes
	return unsafe.Slice((*block)(unsafe.Pointer(&memory[skip])), (len(memory)-int(skip))/lineBytes)
}
