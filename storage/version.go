package storage

import "cmp"

// Version orders what is known of one identifier, whoever read it: of two reads the one
// with the lower version is older. A change that a feed tells has a higher one than any
// read that does not include it. The order is that of the database's row locks, and of
// the moves of the vshard, and so no clock has a say.
type Version struct {
	Epoch int64 // of the vshard
	// ID grows with each change of the row; 0 where there is none, which tells no order.
	ID int64
}

// Compare is -1 when v is the older version, 1 when it is the newer, and else 0.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Epoch, w.Epoch), cmp.Compare(v.ID, w.ID))
}
