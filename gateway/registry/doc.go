// Package registry is the domain: it checks names, reserves them and gives
// them back, in terms of the canonical form of identifiers and the storage contract.
//
// A check may be answered by any layer that can vouch for its answer. Nothing
// but the storage contract ever grants a name.
package registry
