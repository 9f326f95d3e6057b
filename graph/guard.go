package graph

import (
	"context"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
)

// guard refuses documents with too large an operation, and introspection where
// it is off. It looks at a document before validation, some of whose rules take
// quadratic time, and only at those that are not cached: nothing that it
// refuses gets that far.
type guard struct {
	documents     *documentCache
	introspection bool
}

// ExtensionName names the guard among gqlgen's extensions.
func (guard) ExtensionName() string { return "SizeGuard" }

// Validate accepts every schema.
func (guard) Validate(graphql.ExecutableSchema) error { return nil }

// tooManyTokens is what the parser says of a document over its token limit.
var tooManyTokens = fmt.Sprintf("exceeded token limit of %d", maxTokens)

// MutateOperationParameters runs before the executor parses the document. A
// mistake of syntax is left for the executor to tell.
func (g guard) MutateOperationParameters(ctx context.Context, params *graphql.RawParams) *gqlerror.Error {
	if _, ok := g.documents.Get(ctx, params.Query); ok {
		return nil
	}
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: params.Query}, maxTokens)
	if e, ok := err.(*gqlerror.Error); ok && e.Message == tooManyTokens {
		return refuse(codeOperationTooLarge, "document has more than %d tokens", maxTokens)
	}
	if err != nil {
		return nil
	}
	return g.check(document)
}

func (g guard) check(document *ast.QueryDocument) *gqlerror.Error {
	m := measurer{definitions: document.Fragments, fragments: map[string]extent{}}
	for _, fragment := range document.Fragments { // validation looks at unused ones too
		size := m.measure(fragment.SelectionSet)
		size.roots = 0
		if refused := size.tooLarge(); refused != nil {
			return refused
		}
	}
	for _, operation := range document.Operations {
		size := m.measure(operation.SelectionSet)
		if refused := size.tooLarge(); refused != nil {
			return refused
		}
		if size.introspects && !g.introspection {
			return refuse(codeValidationFailed, "introspection is off")
		}
	}
	return nil
}

// MutateOperationContext tells the executor what the guard let through.
func (g guard) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	op.DisableIntrospection = !g.introspection
	return nil
}
