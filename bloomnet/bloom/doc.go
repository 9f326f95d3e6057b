// Package bloom has the blocked Bloom filter of a shard, the hash of names that it and
// everything beside it uses, and the filter's bytes for files and peers.
//
// A Bloom filter says of a name "may be there" or "is not there", and is never wrong in
// the latter. This one is blocked (Putze, Sanders and Singler, Cache-, Hash- and
// Space-Efficient Bloom Filters, 2007): all bits of a name lie in one block of 512 bits,
// which is one cache line, so a look-up costs one miss of the cache where a classic
// filter of the same rate of false positives costs ten.
//
// # Rate of false positives
//
// With blocks*32 names, which is 16 bits a name, a block has a number of names that is
// Poisson distributed with mean 32. A name has 9 bits, anywhere in its block. The rate is
// then the sum over n of
//
//	Poisson(32; n) * (1 - (511/512)^(9n))^9 = 0.083 %
//
// Of the other patterns, 8 bits anywhere give 0.087 %, 10 give 0.083 %, 11 give 0.086 %,
// and one bit in each of the block's 8 words, which needs the fewest instructions, gives
// 0.091 %; it was measured to be hardly faster, as a look-up mostly waits for memory. A
// filter may hold more names than it is sized for, at a rate that grows: 0.11 % at 5 %
// more, 0.14 % at 10 %.
//
// # Concurrency
//
// Add, Has and all else but UnmarshalBinary may be called by any number of goroutines at
// once; none takes a lock. Bits are only ever set, each by an atomic OR, so no add undoes
// another, and a bit that was once seen stays. Has loads the words atomically: what an
// Add set is seen by every Has that begins after the Add returned (in the order of the Go
// memory model, in which atomic operations are sequentially consistent). A Has during the
// Add of the same name may go either way.
package bloom
