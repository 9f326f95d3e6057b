// Package pgtest gives tests real PostgreSQL: one server for all tests of a
// process with a database for each, or a server of a test's own to pause, kill
// and configure. Where PostgreSQL is missing tests fail.
package pgtest
