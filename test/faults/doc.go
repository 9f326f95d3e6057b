// Package faults holds tests alone: replicas as processes of their own on real PostgreSQL,
// whose writers, servers, networks, files and time are broken while clients ask.
//
// What each test proves is guarantee G4: an answer that a name is free is true at some
// moment not before its asOf, and one that the filter gives is of at most the staleness
// bound before its bits were read; who cannot vouch for that asks the database, or says so.
// A witness knows from when to when each name was surely held, and judges every answer.
//
// The flag -faults.long makes the faults longer and more; -faults.gateway has another
// build of the gateway tried than that of this tree, such as one that is broken on purpose.
//
// Replicas and proxies listen on addresses of 127.0.0.0/8, all of which Linux has.
package faults
