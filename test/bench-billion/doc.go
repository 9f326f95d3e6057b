// Bench-billion measures bloomnet/bloom at full size, with made-up names, and says whether
// it keeps what it promises. At 50 million names one filter stands beside one of
// github.com/bits-and-blooms/bloom/v3 that is made for the same rate of false positives.
// At a thousand million it is 1024 filters, one for each shard, as a replica has them,
// beside as many that share 50 million. What is compared is measured in turns, and each
// figure is the median of its rounds.
//
// A look-up is of an absent name, from its text to the answer, by one goroutine. A round
// looks some millions of names up, each once, so that their cache lines come from memory.
package main
