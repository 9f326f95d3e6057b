package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"namegate/gateway/ratelimit"
)

// charger charges who pays for an operation, before any of it runs: for the whole of it
// or, when one of its limits is reached, for nothing, and then it is refused as a whole.
type charger struct {
	limiter ratelimit.Limiter
	prices  map[ast.Operation]map[string]price // by kind of operation and root field
}

func newCharger(limiter ratelimit.Limiter, schema *ast.Schema) charger {
	return charger{limiter, map[ast.Operation]map[string]price{
		ast.Query: pricesOf(schema.Query), ast.Mutation: pricesOf(schema.Mutation),
	}}
}

// ExtensionName names the charger among gqlgen's extensions.
func (charger) ExtensionName() string { return "RateLimit" }

// Validate accepts every schema.
func (charger) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext runs when the document is valid and the variables are known.
func (c charger) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	payer, pays := payerOf(ctx)
	if !pays {
		return nil
	}
	if charges := c.charges(op); len(charges) > 0 {
		if refused := c.limiter.Take(ctx, payer, charges); refused != nil {
			return rateLimited(refused)
		}
	}
	return nil
}

// charges are what the root fields of an operation cost, with fragments, @skip and
// @include resolved as the executor does. Fields of one response key run once.
func (c charger) charges(op *graphql.OperationContext) []ratelimit.Charge {
	prices := c.prices[op.Operation.Operation]
	var charges []ratelimit.Charge
	for _, field := range graphql.CollectFields(op, op.Operation.SelectionSet, rootTypes[op.Operation.Operation]) {
		if p, ok := prices[field.Name]; ok {
			charges = append(charges, p.charge(op, field))
		}
	}
	return charges
}

// rootTypes are the names of the types whose fields an operation selects.
var rootTypes = map[ast.Operation][]string{ast.Query: {"Query"}, ast.Mutation: {"Mutation"}}
