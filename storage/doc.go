// Package storage states the contract of the registry's databases: who holds
// an identifier, and how one is won, looked up and given back.
//
// An identifier is one of many in a virtual shard (vshard), and each vshard is
// owned by exactly one database. There the primary key (vshard, kind, key) of
// one table is the only arbiter of ownership: no cache, filter, lock or message
// ever grants an identifier, and losing all of them costs speed alone.
//
// The package imports no driver. Package storage/postgres fulfils the contract,
// package storage/storagetest states it as a suite of tests.
package storage
