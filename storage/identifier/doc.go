// Package identifier gives the values that people own - usernames, and private
// ones such as e-mail addresses - the one form that is compared, routed and stored.
//
// A Parser turns a raw value into an Identifier, or says which rules of form it
// breaks. Its key is unique for ever: the same value must give the same key in
// every release, so each step that decides one is either fixed here or such that
// a newer library can refuse a value but never give it another key. Golden tests
// pin this.
//
// A private value is kept nowhere. Its key is a keyed hash, and its canonical
// form and display are empty.
//
// A Policy says which well-formed usernames nobody may have.
package identifier
