package model

import (
	"github.com/99designs/gqlgen/graphql"

	"namegate/gateway/registry"
)

// MarshalString writes s as a String of the schema.
func MarshalString(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalString takes strings only. gqlgen's own would read null, which a
// variable with a default can be, as an empty name.
func UnmarshalString(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", &registry.InputError{Message: "a String must be a string"}
	}
	return s, nil
}
