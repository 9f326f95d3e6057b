// Package app wires one replica together and runs it: its databases, the
// registry on them, and the listeners that serve it. It is the only place that
// knows concrete types on both sides, and nothing imports it but the program.
//
// A start goes from the bottom up, and nobody is served before the databases
// have been checked. A stop goes the other way: readiness fails first, requests
// under way are answered, then the databases are left.
package app
