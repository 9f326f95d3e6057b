// Package graph is the GraphQL edge: the schema, thin resolvers over the
// registry, the codes of errors, limits on the size of an operation, and GraphQL
// over HTTP. It knows nothing of how names are kept.
//
// Expected outcomes are types of the schema. Everything else is an error with a
// code, and nothing of its cause but what errors.go lists reaches a client.
package graph

//go:generate go tool gqlgen generate
