// Package feed states the contract of a database's feed: every change of a
// holding, read in order by any number of readers, each from a position of its
// own that can be stored.
//
// # Position
//
// A change becomes visible when its transaction commits, and transactions commit
// in another order than they began, so no single number divides what a reader has
// seen from what is to come. A position is a snapshot instead: Xmax, and the
// transactions below it that were running. What is still to come is then exactly
// what has an xid from Xmax on or one of these, however long they run: nothing is
// missed and nothing comes twice.
//
// The snapshot is cut off after the newest change that was visible (Newest). A
// transaction that wrote nothing, or was undone, need not have reached the disk:
// after a crash PostgreSQL may give its xid out again, and a position beyond it
// would skip the change made under it for ever. The newest visible change did
// reach the disk, so xids up to its own are never given out again. It is also the
// position's witness: a database that does not have it is not the one, or no
// longer the one, that the position is of. It is known by its xid and by when its
// transaction began (Mark), as a server that was set back gives xids out again.
//
// # Order
//
// Changes are applied in order of ID, then Ordinal: the order of changes of a key.
// The xid is not, as a transaction may have got its own long before the change.
//
// # Past
//
// What is older than some hours is kept apart, so that a poll of what is new looks
// at little. A reader that may have left something there (Snapshot.IsPast) looks
// there too, by the same rule as decides what was trimmed.
//
// # Rebuild
//
// A reader whose position is void - the database was set back, its server is
// another one, or what came after the position is no longer kept - gets a
// *RebuildError, never a gap. It then begins anew: from the tables, with a
// position taken in the same snapshot.
package feed
