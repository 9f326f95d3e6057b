// Command bench measures namegate on one machine, in one run, and prints one
// Markdown table. It starts what it needs, a private PostgreSQL with its
// databases, gateways and a plain HTTP server to compare with, and ends it all.
// It needs psql and pgbench in PATH.
//
//	go run ./test/bench [-duration 10s] [-names 10000000] [-only PATTERN]
//
// Speed is shown, not judged: it exits with 1 only when something could not be
// measured or an answer was wrong, and with 2 when it was called wrongly.
//
// What is compared is measured in turn, for some rounds, so that the noise of
// the machine meets all of it; figures are medians over the rounds, and ratios
// are those of medians. Each sample begins after a checkpoint, so that none pays
// for the writes of another, and a warm-up of half its length, in which the pages
// that are touched first after it are logged whole. Those on empty
// tables begin with tables emptied anew.
package main
