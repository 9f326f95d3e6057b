package feed

import (
	"context"
	"fmt"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Copier copies the table of holdings of one database.
type Copier interface {
	// Copy gives page every row of a kind in some vshards, as of one snapshot, and
	// then says where a reader of the feed goes on from there: the copy and what
	// comes after its position are the table, with nothing missing and nothing twice.
	// Rows with an intent, and those past their end, are rows. They come in no order,
	// in pages of some 64 KB; the slice is page's only until it returns, and a key
	// that is kept keeps the memory of its page.
	//
	// It fails with *NotOwnedError, before any page, when the database does not own
	// all the vshards, else as Reader does, and with what page fails with. It may
	// take an hour, and while it lasts the server cannot clean dead rows away.
	Copy(ctx context.Context, kind identifier.Kind, vshards []storage.Vshard, page func([]Row) error) (Copied, error)
}

// Row is a holding, as far as a copy tells of it.
type Row struct {
	Vshard storage.Vshard
	State  storage.State // as it stands, whatever has run out
	Key    string
}

// Copied says of what a copy was made.
type Copied struct {
	Position Position
	// Epochs are those of the vshards, in the order in which they were asked for.
	Epochs []int64
	Rows   int64
}

// NotOwnedError says that a database does not own a vshard.
type NotOwnedError struct {
	Vshard storage.Vshard // the first of them
}

func (e *NotOwnedError) Error() string {
	return fmt.Sprintf("database does not own vshard %d", e.Vshard)
}
