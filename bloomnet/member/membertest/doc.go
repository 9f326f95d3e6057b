// Package membertest is a network in memory for tests of clusters: it loses, repeats,
// delays and so reorders packets, and can be parted. All that waits in it is durably
// blocked, so a cluster on it runs in a bubble of testing/synctest.
package membertest
