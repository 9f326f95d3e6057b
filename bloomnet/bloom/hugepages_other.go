//go:build !linux

package bloom

// adviseHugePages does nothing, where the system decides alone.
func adviseHugePages([]byte) {}
