// Package model holds the Go types of the schema: generated ones, and those
// scalars that gqlgen does not know.
package model
