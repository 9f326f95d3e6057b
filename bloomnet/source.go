package bloomnet

import (
	"context"
	"errors"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

// Source is one database, as filters need it. Its methods may be called at the same time.
type Source interface {
	// Name is what operators call the database. Replicas need not agree on it.
	Name() string
	// Identity is the part of a position's Source that names the database, the same for
	// all of its histories and on all replicas.
	Identity(source string) string
	// Begin gives a position from which only what is not visible yet will come.
	Begin(ctx context.Context) (shard.Position, error)
	// Poll gives all that has become visible since a position. It fails with ErrVoid
	// when the position is, and with ErrTooMuch when it is more than a replica takes.
	Poll(ctx context.Context, from shard.Position) (shard.Poll, error)
	// Copy gives add each name of some shards, and says as of when. It fails when the
	// database does not own all of them. The calls of add are one after the other.
	Copy(ctx context.Context, shards []int, add func(Row)) (Copied, error)
	// NextBuilds gives the number of the next build of each of some shards. What the
	// database does not own is left out.
	NextBuilds(ctx context.Context, shards []int) (map[int]Build, error)
}

// Row is a name in a table.
type Row struct {
	Shard    int
	Hash     bloom.Hash
	Reserved bool // it may leave soon
}

// Build numbers a build of a shard, at an epoch.
type Build struct{ Epoch, Number uint64 }

// Copied says what a copy is of.
type Copied struct {
	// At is the position of the copy's snapshot.
	At shard.Position
	// Epochs are those of the shards that were copied.
	Epochs map[int]uint64
}

// Reasons to begin the reading of a feed anew.
var (
	ErrVoid    = errors.New("position in the feed is void")
	ErrTooMuch = errors.New("more changes than a poll may have")
)
