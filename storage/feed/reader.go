package feed

import (
	"context"
	"time"
)

// Reader reads the feed of one database. Its methods may be called at the same
// time. They fail with *storage.UnavailableError, also while the server is a
// standby, or with the context's error.
type Reader interface {
	// Database is the name that operators gave the database.
	Database() string
	// Now is the position from which only what is not visible yet will come.
	Now(ctx context.Context) (Position, error)
	// Oldest is the position from which comes what is kept whole: every change
	// under a higher xid than any that was trimmed, and all that is not visible yet.
	Oldest(ctx context.Context) (Position, error)
	// Poll gives apply all that has become visible since a position, in order, in
	// pages, and then says which position that leads to. It is the position of
	// what was applied, and must be stored in one piece with that. When Poll fails
	// the position has not moved, and pages that were applied will come again.
	// Without news apply is not called, but the position may have moved. Poll also
	// fails with *RebuildError and with what apply fails with.
	Poll(ctx context.Context, from Position, apply func(page []Event) error) (Poll, error)
}

// Poll is what a poll says beside its events.
type Poll struct {
	Position Position
	// Sent is when the poll was sent, by the reader's clock: everything visible
	// before is included.
	Sent time.Time
	// VshardsVersion and VshardsTag change with any change of the database's
	// vshards, and are as of the snapshot of the events.
	VshardsVersion int64
	VshardsTag     [16]byte
}

// RebuildError says that a position is void, so that its reader has to begin anew.
type RebuildError struct {
	Reason string
}

func (e *RebuildError) Error() string { return "position in the feed is void: " + e.Reason }
