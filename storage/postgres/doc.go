// Package postgres keeps the registry in several PostgreSQL databases.
//
// # Routing and fence
//
// Each database says in its table vshards which virtual shards it owns. The
// union of these tables is the route map; it is read at start and again when a
// database refuses a write for a vshard that it does not own. A write is one
// pipeline, and so one transaction: it sets READ COMMITTED, shares the
// database's one advisory lock, and only in a later statement, whose snapshot is
// newer than the lock, writes where vshards says OWNED. Whoever changes the
// state of a vshard holds that lock exclusively until its change is visible.
// So a gateway with an old map can write nothing to a database that has lost
// the vshard, and "unique per shard, with fixed routing" becomes "unique".
//
// # Win, record, answer
//
// A reserve first wins a name by one INSERT in the database that owns it, then
// inserts the record of its request if there is none, and answers only then; in
// one transaction where one database has both. If
// another outcome stands in the record, what was won is given back by its grant
// and that outcome is the answer. Whoever dies in between leaves a row that runs out.
//
// # Sagas
//
// A change of an account is decided in one transaction of the owner's vshard,
// after an intent was laid beside each identifier that it takes, and is carried
// out afterwards, by whoever meets it (saga.go tells the steps, run.go takes them).
// Until the decision, deleting the record of the attempt gives it up for ever.
//
// # Batches
//
// Concurrent calls to one database are gathered without a timer: what waits
// while the last batch is in flight makes the next. A batch holds a key once;
// other callers for it learn what became of the first. A batch that fails for
// one call's data runs again one by one. Nobody is answered before the commit
// has returned.
//
// # Locks
//
// Order: fence, then the record of a change, holdings, requests, accounts, slots,
// feed. A statement that locks several rows locks them by ORDER BY (vshard, kind, key).
package postgres
