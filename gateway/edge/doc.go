// Package edge is what stands between the network and the handlers of a
// replica: its health, as probes see it, and the recovery from a panic.
package edge
