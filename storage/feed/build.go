package feed

import (
	"context"

	"namegate/storage"
)

// Builder counts the builds of what is made of the vshards of one database.
type Builder interface {
	// NextBuilds gives the number of a new build of each of some vshards that the
	// database owns; others are left out. It fails with *storage.UnavailableError or
	// the context's error, and numbers may then be left out, too.
	NextBuilds(ctx context.Context, vshards []storage.Vshard) (map[storage.Vshard]Build, error)
}

// Build is a build of a vshard. A pair of the two numbers is given once, and a later one
// is higher: by its epoch or, at the same one, by its number.
type Build struct {
	Epoch  uint64 // of the vshard
	Number uint64 // from 1
}
