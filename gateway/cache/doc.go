// Package cache is what one replica remembers of the names it was asked for: some thousand
// for some seconds, kept by recency and frequency (W-TinyLFU: Einziger, Friedman and Manes,
// "TinyLFU: A Highly Efficient Cache Admission Policy", 2017).
//
// # What an entry is worth
//
// That a name is held counts until its time to live, or the holding's own end, is over.
// That nobody has it counts only for the staleness bound. Both are counted from the moment
// at which the read was sent, by a clock that nobody sets and that goes on while the
// machine sleeps. Whatever another cache gave is of an unknown age, so only what has no end
// is remembered of that.
//
// # Reads and changes
//
// A change, told by a feed or about to be made here, ends an entry, and keeps what is being
// read from becoming one. What stands for a name there is a number, counted up by its
// changes, in a table of fixed size: names may share one, which costs a read now and then,
// and nothing that could be evicted is needed for the truth.
//
// Who asks for a name that is being read already joins that read, unless a change came in
// between: nobody gets an answer from before a change that was known when he asked.
package cache
