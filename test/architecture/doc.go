// Package architecture holds tests of the code's structure: which package may
// import which, and what every package and test must have.
package architecture
