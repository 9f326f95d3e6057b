package rediscache

import "sync/atomic"

// Counters count since Open.
type Counters struct {
	Hits          atomic.Int64 // lookups that Redis answered
	Misses        atomic.Int64 // lookups that Redis had nothing for
	Waits         atomic.Int64 // misses that waited for another filler
	Fills         atomic.Int64 // entries that were stored
	Refused       atomic.Int64 // entries that were not, as something newer is known or the lease is over
	Opens         atomic.Int64 // times that the breaker began to keep callers away
	Invalidations atomic.Int64 // changes of the feed that were applied
	Generations   atomic.Int64 // times that all entries were made void
}
