// Package shard is the core of the shared filter: what one replica knows of every
// shard, and whether it may vouch for it.
//
// # Layers
//
// A shard is looked up in three layers at once. The base is a Bloom filter as of a
// position in the feed of the database that has the shard; it is immutable, and
// equal byte for byte wherever its Head is equal. Recent is the exact set of what was
// added since, and of everything that is only reserved, so that abandoned
// reservations never reach a base; a removal takes its hash out again. Hints are what
// writers are about to add; they expire, and nothing rests on them.
//
// # Images
//
// An Image is base and recent names together, complete as of a position: of each name
// it has what was true at some moment from then on. A replica that installs one drops
// of its own recent names what the image covers, and keeps what came later. So it
// takes none that is as of before the last one it installed, or before its reading of
// the feed began: what came between would be nowhere. It takes images in any order
// otherwise, of any age, and of positions that it has not reached; it reads on from
// its own position then, and hears some things twice, which does no harm.
//
// # Freshness
//
// A replica reads the feed of every database itself. For each database it keeps one
// position, up to which everything is in the layers, and one time: its own clock when
// the poll that led there was sent. A shard is vouched for by the database whose poll
// said in its own snapshot that it owns the shard, at the newest epoch that any
// database has told of. View.Check reads the time, then the bits, then the clock, and
// says Free only when clock less time is within the bound: every change that was
// visible before the time is then in the bits, whatever the goroutine was delayed by.
// Times never leave the process.
//
// # Epochs
//
// A shard moves between databases, each stay at a higher epoch. An image that was
// built at the newest epoch is complete by itself. One of an earlier epoch is complete
// when, after the newer epoch was seen, every database has been read to the end once:
// the tail of any earlier stay is in then. Where the reading of some database began
// after the shard was last seen at home, a stay there may be lost, and the image is
// forgotten. A removal never undoes an add of a later epoch, as feeds of two databases
// are read in any order. A mover's copies and deletions are no changes of a name, and
// must not be told by a feed: the names are where they were.
//
// # Concurrency
//
// A Core belongs to one goroutine. A View may be used by any number at the same time,
// and takes no lock. Time, feeds and images come in as arguments: the package's
// simulation searches for wrong answers by them, and a test beside each rule shows the
// answer that would be wrong without it.
package shard
