package model

import (
	"math"

	"github.com/99designs/gqlgen/graphql"

	"namegate/gateway/registry"
)

// MarshalInt writes n as an Int of the schema.
func MarshalInt(n int32) graphql.Marshaler { return graphql.MarshalInt32(n) }

// UnmarshalInt takes whole numbers of 32 bits: those of documents are int64, those of
// variables float64, which gqlgen's own does not take.
func UnmarshalInt(v any) (int32, error) {
	switch n := v.(type) {
	case int64:
		if math.MinInt32 <= n && n <= math.MaxInt32 {
			return int32(n), nil
		}
	case float64:
		if math.MinInt32 <= n && n <= math.MaxInt32 && n == math.Trunc(n) {
			return int32(n), nil
		}
	}
	return 0, &registry.InputError{Message: "an Int must be a whole number of 32 bits"}
}
