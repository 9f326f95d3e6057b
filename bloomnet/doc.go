// Package bloomnet is the shared filter of a fleet of replicas: which names are there,
// in the memory of each, by shards that replicas build for one another.
//
// Every replica reads the feed of every database itself (package shard tells how that
// makes a "free" trustworthy). What need be done once for all is done by a shard's
// owner: to build its base from the table, to fold recent names in, to build it anew
// when too many of its names are dead or it has outgrown its size, and to compare it
// with the table. Two owners, or none, are always safe: builds are numbered by the
// database, and the higher one wins.
//
// The package knows databases and peers by the interfaces it states, and names by their
// hashes only.
package bloomnet
