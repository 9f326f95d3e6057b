package feed

import (
	"errors"
	"slices"
)

// Source is the history that positions belong to. In another one the same xids
// are other transactions.
type Source struct {
	Database [16]byte // the id that the database keeps
	System   uint64   // PostgreSQL's system identifier of the cluster
	Timeline uint32   // of its write-ahead log, from 1; a new one with each failover or restore
}

// Mark is a transaction that has changed something. Where a server is set back to a copy of
// its disk, xids are given out again, but what is begun then is begun at another time.
type Mark struct {
	Xid uint64 // 0 for none
	// Began is when it began, by the database's clock, in microseconds since 2000 UTC.
	Began int64
}

// Position is how far a reader has come. The zero Position is none: Poll refuses
// it, and Reader gives the first one by Now or Oldest.
type Position struct {
	Source Source
	// Xmax is the xid of the newest visible change, plus one: what has it or a
	// higher one is still to come.
	Xmax uint64
	// Began is when the transaction of that change began, as in its Mark.
	Began int64
	// Running are the xids below Xmax whose changes are still to come, ascending.
	Running []uint64
}

// Newest is of the newest change that was visible, if any was.
func (p Position) Newest() Mark { return Mark{p.Xmax - 1, p.Began} }

var errInvalid = errors.New("position is not valid")

func (p Position) validate() error {
	last := p.Xmax
	for _, xid := range slices.Backward(p.Running) {
		if xid >= last {
			return errInvalid
		}
		last = xid
	}
	if p.Xmax == 0 || len(p.Running) > 0 && p.Running[0] == 0 {
		return errInvalid
	}
	return nil
}

// Equal says that both are the same position.
func (p Position) Equal(q Position) bool {
	return p.Source == q.Source && p.Newest() == q.Newest() && slices.Equal(p.Running, q.Running)
}

// Rank puts the positions of one source in order: one that includes more visible
// changes than another has a higher rank. It counts the xids that the position is done with.
func (p Position) Rank() uint64 { return p.Xmax - uint64(len(p.Running)) }

// Snapshot is what one statement saw of a database's transactions.
type Snapshot struct {
	Source  Source
	Xmax    uint64   // all xids from here on had not ended
	Running []uint64 // those below that had not, ascending
	Trimmed Mark     // of the highest xid of a change that was ever trimmed
	Past    Mark     // of that of one that was ever put aside, trimmed since or not
}

// At is the position of a reader who has everything that is visible in the
// snapshot, when newest is of the newest visible change or, where that is put aside, of
// the highest xid of these.
func (s Snapshot) At(newest Mark) Position {
	end, _ := slices.BinarySearch(s.Running, newest.Xid)
	return Position{Source: s.Source, Xmax: newest.Xid + 1, Began: newest.Began, Running: slices.Clone(s.Running[:end])}
}

// Check fails with *RebuildError where a reader at the position cannot go on with
// what the snapshot shows. seen is of the change that there is under the xid of the
// position's Newest, if any.
func (s Snapshot) Check(p Position, seen Mark) error {
	switch {
	case p.Xmax == 0:
		return &RebuildError{"there is none yet"}
	case p.Source.Database != s.Source.Database:
		return &RebuildError{"it is of another database"}
	case p.Source.System != s.Source.System:
		return &RebuildError{"it is of another server"}
	case p.Source.Timeline != s.Source.Timeline:
		return &RebuildError{"the server is on another timeline, after a failover or a restore"}
	case p.Xmax > s.Xmax:
		return &RebuildError{"the server has been set back"}
	case s.mayMiss(p, s.Trimmed.Xid):
		return &RebuildError{"changes after it have been trimmed"}
	case !slices.Contains([]Mark{seen, s.Past, s.Trimmed}, p.Newest()):
		return &RebuildError{"the database has been set back"}
	}
	return nil
}

// IsPast says that changes after the position may have been put aside.
func (s Snapshot) IsPast(p Position) bool { return s.mayMiss(p, s.Past.Xid) }

// mayMiss says that changes after the position may be among some, of xids up to gone,
// that were all visible. So they are not of a transaction that is still running.
func (s Snapshot) mayMiss(p Position, gone uint64) bool {
	return p.Xmax <= gone || slices.ContainsFunc(p.Running, func(xid uint64) bool {
		_, runs := slices.BinarySearch(s.Running, xid)
		return xid <= gone && !runs
	})
}
