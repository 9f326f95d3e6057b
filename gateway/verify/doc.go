// Package verify compares what a replica's layers of checks say with what the databases
// have, while the replica serves.
//
// A layer may be behind the databases by the staleness bound, and the databases change
// meanwhile. So what a layer says is compared twice. What contradicts the database that
// has the name is looked at again when more than the bound has passed: it is wrong if the
// layer still says so and the row is still of the same version. No clocks are compared.
//
// The filter is asked for every name of the tables, as it may only be wrong by what it
// lacks; the other layers for every name that they remember.
package verify
