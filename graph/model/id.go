package model

import (
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"namegate/gateway/registry"
)

// MarshalID writes s as an ID of the schema.
func MarshalID(s string) graphql.Marshaler { return graphql.MarshalID(s) }

// UnmarshalID takes strings, and integers as strings. gqlgen's own would read null
// as an account of that name.
func UnmarshalID(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	default:
		return "", &registry.InputError{Message: "an ID must be a string or an integer"}
	}
}
