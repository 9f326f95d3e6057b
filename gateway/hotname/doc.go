// Package hotname finds the names that many ask for in vain, and answers for them from
// memory on every replica: the deny list of the checks. It grants no name, and losing all
// of it costs speed alone.
//
// # From hot to listed
//
// Each replica counts the answers "taken" that it gives, whichever layer gave them, in a
// sketch of fixed size. A name that reaches the threshold within a second is read from its
// database, and what the read says, if the name is held, is listed and told to the others.
// As a name is mostly hot on all replicas at once, each waits for a random moment first,
// and reads nothing when another one's entry comes in meanwhile.
//
// # How long an entry counts
//
// At most MaxLife from when its read was sent, by a clock that nobody sets; less when the
// holding ends by itself before, unless an operator's block keeps it. While the name stays
// hot, some replica, mostly one, reads it anew before the end. Messages carry how much is
// left, less an allowance for their way, and so no clocks are compared: a copy outlives
// the entry it is of only by what a message took beyond the allowance.
//
// # What ends it before
//
// Every change of the name that a replica's own feed tells, when its version is above that
// of the entry (storage.Version). After a change the name is read anew. Of a release, and
// of the end of a block, the version is remembered for at least two minutes, which is
// longer than any copy of the entry counts, and told to the others: entries that come in
// late and are not newer are refused. Beyond 4 times the room of the list in two minutes the
// oldest ones are forgotten sooner, and a message that is as late as that can bring an entry
// back for what is left of its minute. After any other change a late entry is of an older
// holding, but the name is held all the same, and so it is taken.
//
// A read of a replica itself is dropped when a change comes in while it is under way.
//
// # Merging
//
// Entries and releases may come in any order and any number of times: of a name the higher
// version counts, of equal versions what counts for longer, and a release is above all
// that it ends. When the list is full, that of the least life left goes, be it the new one:
// a name that is still hot has been read again. So replicas that have heard the same have
// the same list.
//
// # The sketch
//
// Count-min (Cormode and Muthukrishnan, "An Improved Data Stream Summary", 2005) with
// conservative update (Estan and Varghese, "New Directions in Traffic Measurement and
// Accounting", 2002), a name's cells in one cache line (as in blocked Bloom filters: Putze,
// Sanders and Singler, 2007). A cell carries the number of the second that it counts, so
// nothing is ever cleared, and counts no further than to the threshold, so that the hottest
// names are only read there, and cores do not contend for their cells. An estimate is too
// low by updates that meet, and too high by names that have all of its cells: at 100,000
// answers a second, mostly the six others of its line at most; that costs a read. Of two
// hot names with the same cells one is not found, in that second: in the next one both
// have others.
package hotname
