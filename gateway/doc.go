// Command gateway runs namegate: it answers whether a username is free and gives
// each name to exactly one owner.
//
// The program is flags and signals; package app is the rest. It exits with 0
// after a command that did its work or a stop by signal, 1 after an error, 2 when
// it was called wrongly, and 3 after an import that refused lines.
package main
