package shard

// Position is how far the feed of a database has been read.
type Position struct {
	// Source names the history that the position belongs to. Positions of
	// different ones cannot be compared.
	Source string
	// At grows with each visible change of the database: of two positions of one
	// source the higher one includes the lower.
	At uint64
	// Token is the position as its reader knows it; the core only hands it on.
	Token string
}

// includes says that everything up to another position is within this one.
func (p Position) includes(o Position) bool { return p.Source == o.Source && p.At >= o.At }

// Head says which base a replica has. Equal heads are equal bytes.
type Head struct {
	// Epoch is that of the shard when the base was built, Build counts the builds of
	// the shard, as its database numbers them. The higher pair is the newer base.
	Epoch, Build uint64
	// Database is the one that had the shard, by its number, and At the position in
	// its feed that the base is as of.
	Database int
	At       Position
}

// newer says that a head replaces another.
func (h Head) newer(o Head) bool {
	return h.Epoch > o.Epoch || h.Epoch == o.Epoch && h.Build > o.Build
}
