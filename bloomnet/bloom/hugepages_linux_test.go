package bloom

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Whether huge pages are then given is the kernel's; that they are asked for is seen in
// the flags of the mapping. A kernel that has none refuses the advice, and all goes on.
func TestLargeFiltersAskForHugePages(t *testing.T) {
	t.Parallel()
	_, err := os.Stat("/sys/kernel/mm/transparent_hugepage")
	blocks := newBlocks(2 * hugePage / lineBytes)
	flags := flagsOf(t, uintptr(unsafe.Pointer(&blocks[len(blocks)/2])))
	require.Equal(t, err == nil, strings.Contains(flags, " hg"), "advice taken: %s", flags)
	runtime.KeepAlive(blocks)
}

// flagsOf are those of the mapping with an address.
func flagsOf(t *testing.T, address uintptr) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	inside := false
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			inside = from <= address && address < to
		} else if inside && strings.HasPrefix(line, "VmFlags:") {
			return line
		}
	}
	require.Fail(t, "no mapping has the address")
	return ""
}
