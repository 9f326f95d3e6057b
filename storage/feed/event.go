package feed

import (
	"time"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Change is what became of the row of a holding. Its numbers stand in tables.
type Change int16

// The changes of a row. A takeover of what has run out is Changed.
const (
	Went    Change = -1
	Changed Change = 0
	Came    Change = 1
)

// Version is above that of every read that does not include the change, and below that
// of every one that includes a later change of the same identifier.
func (e Event) Version() storage.Version { return storage.Version{Epoch: e.Epoch, ID: e.ID} }

// Event is one change of one holding. Its texts share the memory of their page, so one
// that is kept for long is better cloned.
type Event struct {
	// ID is that of the statement that made the change, with whatever else it
	// changed, and Ordinal the place among these, from 0. Together they are the
	// order of application, and name the event.
	ID      int64
	Ordinal int
	// Epoch is that of the vshard. An event undoes none of a later epoch.
	Epoch  int64
	Vshard storage.Vshard
	Kind   identifier.Kind
	Change Change
	State  storage.State // after the change; Released when the row went
	Key    string
	Cause  string // what was asked for, such as RESERVE
	Actor  string // subject of the caller's access token, or a part of the gateway; "" when anonymous
	// At is when the transaction began, by the database's clock. It is not when the
	// change became visible, and says nothing of freshness.
	At time.Time
}
