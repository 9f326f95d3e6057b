package bloom

import (
	"syscall"
	"unsafe"
)

// adviseHugePages asks for memory in huge pages, before it is first touched. With small
// ones, look-ups in filters of gigabytes miss the processor's table of pages as well as
// its cache, and were measured to take half as long again. The range is rounded up to
// whole huge pages on both sides: filters lie one behind the other in the heap, and few
// begin or end where a huge page does. To their neighbours the advice does no harm.
//
// It is advice: what the kernel does not give in huge pages at once it may join later,
// and where it has none, all goes on without.
func adviseHugePages(memory []byte) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	from, to := start&^(hugePage-1), (start+uintptr(len(memory))+hugePage-1)&^(hugePage-1)
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
