// Package registry is the domain: it checks names, holds them for sign-ups, and
// moves them to accounts, between an account's names and away from accounts, in
// terms of the canonical form of identifiers and the storage contract. It says who
// may ask for what.
//
// A check may be answered by any layer that can vouch for its answer. Nothing
// but the storage contract ever grants a name.
//
// The value of a private identifier goes in and never comes out, save in an error
// to the back end that sent it. What is done with one takes the same path whoever
// has it.
package registry
