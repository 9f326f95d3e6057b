package shard

import "namegate/bloomnet/bloom"

// Change is what became of a name.
type Change int8

// The changes of a name. Altered is any but that it came or went.
const (
	Came    Change = 1
	Altered Change = 0
	Went    Change = -1
)

// Event is one change of one name, as a feed tells it. That a name is copied to another
// database with its shard, or deleted where the shard has left, is none.
type Event struct {
	Shard  int
	Epoch  uint64 // of the shard, when it was changed
	Hash   bloom.Hash
	Change Change
	// Reserved says that the name may leave soon.
	Reserved bool
}
