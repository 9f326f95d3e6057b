package feed

import (
	"context"
	"fmt"

	"namegate/storage"
)

// WholeReader reads the feed of one database for readers that take a poll as a whole
// and want to know of which vshards it speaks.
type WholeReader interface {
	Reader
	// PollWhole is Poll in one piece. Known is the tag of the owned vshards that the
	// reader has, zero for none; with another one it gets them, in the snapshot of the
	// changes. It fails with *TooLargeError when more than limit changes have become
	// visible; nobody then knows more than before.
	PollWhole(ctx context.Context, from Position, known [16]byte, limit int) (Whole, error)
}

// Whole is a poll in one piece.
type Whole struct {
	Poll
	// Owned is nil when VshardsTag is the one that the reader knows.
	Owned *Owned
	// Events are all that has become visible, in order.
	Events []Event
}

// Owned says which vshards a database owns: by vshard the epoch, from 1, and 0 for
// one that it does not own.
type Owned [storage.Vshards]int64

// TooLargeError says that too much has become visible to be taken in one piece.
type TooLargeError struct {
	Limit int // of changes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("more than %d changes of the feed have become visible", e.Limit)
}
