package hotname

import "sync/atomic"

// Counters count since the List was made.
type Counters struct {
	Hits atomic.Uint64 // of Get
	// Hot counts a name once for each second in which it was hot, Overrun those that
	// nobody looked at for want of room.
	Hot, Overrun atomic.Uint64

	Reads     atomic.Uint64 // that were begun
	Failed    atomic.Uint64 // reads without an answer
	Free      atomic.Uint64 // reads that said that nobody has the name
	Overtaken atomic.Uint64 // reads that are not used, for a change meanwhile

	// Announced counts messages given to Broadcast, Unsent those that it, or the queue
	// before it, had no room for.
	Announced, Unsent atomic.Uint64

	// Received counts messages that were news, Old those that were not: of what is known
	// already, or is over.
	Received, Old atomic.Uint64
	Refused       atomic.Uint64 // messages that no replica of this release makes

	Released atomic.Uint64 // entries ended by a release or the end of a block
	Changed  atomic.Uint64 // entries ended by another change
	Expired  atomic.Uint64 // entries that came to their end
	Evicted  atomic.Uint64 // entries, new ones too, for which there was no room
}
