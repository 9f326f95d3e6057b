package storage

import (
	"time"

	"namegate/storage/identifier"
)

// State is where a held identifier is in its life. Its numbers stand in tables.
type State int16

// The states of a holding. Released is the absence of a row, or a row that only a block keeps.
const (
	Reserved  State = 1 // held for one sign-up until ExpireAt
	Active    State = 2 // owned by an account, for ever
	Protected State = 3 // given up by its owner, closed to others until ExpireAt
	Released  State = 4
)

// Grant names one tenure of an identifier. It is random and never used again,
// so a step that is conditional on a grant cannot touch a later tenure.
type Grant [16]byte

// Holding is an identifier that a sign-up holds or an account owns.
type Holding struct {
	Identifier identifier.Identifier
	State      State
	Grant      Grant
	Holder     RequestID // the request that reserved it; zero for an import
	Owner      string    // the account's id; "" before it is confirmed
	Blocked    bool      // barred by an operator
	Since      time.Time // when this tenure began, by the database's clock
	ExpireAt   time.Time // end of a reservation or protection; zero while Active
}

// Standing is what one read of the owning database said of an identifier.
type Standing struct {
	// Held is nil when anybody may have the identifier: no row, or one past its
	// end that the next reserve takes over. The database's clock decides.
	Held *Holding
	// Version is that of what was read, be it held or past its end.
	Version Version
	// AsOf is the database's time before the snapshot of the read: every commit
	// acknowledged before it is included.
	AsOf time.Time
}
