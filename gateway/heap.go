package main

import (
	"os"
	"runtime/debug"
)

const (
	// floorSize counts as in use, and gcPercent is how much garbage there may be beside
	// what is in use before the next collection: 128 MB, and an eighth of the live heap.
	floorSize = 1 << 30
	gcPercent = 12
)

// heapFloor has the collector run neither too often nor too late. The live heap of a
// replica is a few megabytes, or the gigabytes of a billion names' filter: with the usual
// percentage alone the former would be collected many times a second, each time scanning
// the stacks of all connections, which took about half of a reserve's CPU outside
// PostgreSQL; and the latter would grow to twice its size while bases are replaced. The
// floor's pages are never touched, so the system gives no memory for them; GOMEMLIMIT
// counts them, though. GOGC overrules the percentage.
func heapFloor() []byte {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	return make([]byte, floorSize)
}
