// Package rediscache is the cache of standings that all replicas share in Redis. It never
// grants a name, and losing all of it, at any moment, costs speed alone: whoever cannot
// use it within milliseconds asks the database, and no caller meets an error of Redis.
//
// # Entries
//
// A name has up to three keys of one hash slot, changed by scripts: the entry (taken, or
// free), the tombstone that a release leaves for 2 minutes, and the lease of whoever
// reads the database for all. Private kinds are never here.
//
// Taken is ordered by storage.Version alone. A change that the feed tells drops what has a
// lower version, and ends the lease: what is being read meanwhile may be from before. Only
// a name that became free needs the tombstone, which refuses the late fill of an older
// read; after any other change a late fill still says that the name is taken, as it is.
//
// A fill needs the filler's own lease, taken before its read was sent. So one that comes
// after a flush, a failover or its own time is refused, and takes nobody's lease away. The
// lease saves load, the versions keep the order: a wrong answer needs both to fail.
//
// # Free
//
// Free counts only while the sending of its read is within the staleness bound. Redis'
// expiry sees to that, by its own clock. The second judge uses no clock of another: every
// cache increments a number in Redis (the beat) twice a second, and an entry carries the
// newest one that its filler knew before it sent the read. Who had to wait for number n,
// having asked at q, knows that whatever carries n or more was read after q. So a clock
// that is set back, a server that is stopped with a fill in its socket, or one restored
// from an old file makes no stale free alone.
//
// # Generations
//
// Every entry carries the generation of the cache, a random number in Redis that callers
// hear of with the beat. The Invalidator makes a new one, atomically with the position that
// its feed goes on from, whenever invalidations may have been lost: there is no position
// (the first start, a flush), it is void, or a server has begun another replication
// history (a restart, a restored file, a failover, which may lose writes). The history is
// that of each primary of a Cluster, as tombstones and position are on different ones.
// What a replica knows of the generation is half a second old; after 2 s of silence it
// does without Redis. Taken entries of a feed that nobody can read stay: their AsOf tells.
//
// # Breaker
//
// A call of a caller has one short limit, and there is no second try. Some failures in a
// row, or a beat that cannot be written (read-only, full, loading, hung), keep all callers
// away until a beat succeeds, so probes are never theirs.
package rediscache
