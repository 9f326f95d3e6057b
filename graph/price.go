package graph

import (
	"crypto/sha256"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"namegate/gateway/ratelimit"
)

// price is what @rateLimit says of a root field.
type price struct {
	bucket     ratelimit.Bucket
	cost, base int
	list       []string // path to the argument that is charged by the item; nil for none
	resendable bool     // its input has a requestId
}

// pricesOf are the prices of a root type, by field.
func pricesOf(root *ast.Definition) map[string]price {
	prices := map[string]price{}
	for _, field := range root.Fields {
		if directive := field.Directives.ForName("rateLimit"); directive != nil {
			prices[field.Name] = newPrice(directive.ArgumentMap(nil), field)
		}
	}
	return prices
}

func newPrice(rule map[string]any, field *ast.FieldDefinition) price {
	bucket, _ := rule["bucket"].(string)
	cost, _ := rule["cost"].(int64)
	base, _ := rule["base"].(int64)
	p := price{bucket: ratelimit.Bucket(bucket), cost: int(cost), base: int(base), resendable: field.Arguments.ForName("input") != nil}
	if path, ok := rule["perItemOf"].(string); ok {
		p.list = strings.Split(path, ".")
	}
	return p
}

// charge is what one use of the field costs.
func (p price) charge(op *graphql.OperationContext, field graphql.CollectedField) ratelimit.Charge {
	charge := ratelimit.Charge{Bucket: p.bucket, Cost: p.cost}
	if p.list == nil && !p.resendable {
		return charge
	}
	args := field.ArgumentMap(op.Variables)
	if p.list != nil {
		charge.Cost = p.base + p.cost*itemsAt(args, p.list)
	}
	if p.resendable {
		charge.Once = resendKey(field.Name, args)
	}
	return charge
}

// itemsAt counts the items of a list argument. A value in place of a list is a list of
// it (GraphQL, section 3.11).
func itemsAt(value any, path []string) int {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	if value == nil {
		return 0
	}
	if list := reflect.ValueOf(value); list.Kind() == reflect.Slice {
		return list.Len()
	}
	return 1
}

// resendKey is the same for the same call sent again, by its requestId, and differs when
// any argument does, so that one requestId is no licence for other calls.
func resendKey(field string, args map[string]any) string {
	input, _ := args["input"].(map[string]any)
	if id, _ := input["requestId"].(string); id == "" {
		return ""
	}
	text, err := json.Marshal(args)
	if err != nil { // of what JSON and literals were read into
		return ""
	}
	sum := sha256.Sum256(append([]byte(field+"\x00"), text...))
	return string(sum[:])
}
