package graph

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"

	"namegate/gateway/registry"
)

// Authenticator tells who sends a request, by its header: an anonymous caller
// when it has no access token. Any error means that the token is not good; its
// text is for the client.
type Authenticator interface {
	Authenticate(header http.Header) (registry.Caller, error)
}

// callerKey is the key of the caller in the context of an operation.
type callerKey struct{}

// withCaller gives an operation its caller.
func withCaller(ctx context.Context, caller registry.Caller) context.Context {
	if caller.IsAnonymous() {
		return ctx
	}
	return context.WithValue(ctx, callerKey{}, caller)
}

// callerOf is who asks for an operation.
func callerOf(ctx context.Context) registry.Caller {
	caller, _ := ctx.Value(callerKey{}).(registry.Caller)
	return caller
}

// requiresRole is the directive @requiresRole: it fails with
// registry.ErrUnauthenticated or registry.ErrForbidden, and the field does nothing.
func requiresRole(ctx context.Context, _ any, next graphql.Resolver, role registry.Role) (any, error) {
	if err := callerOf(ctx).Require(role); err != nil {
		return nil, err
	}
	return next(ctx)
}
