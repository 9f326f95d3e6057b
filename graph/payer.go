package graph

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"namegate/gateway/ratelimit"
	"namegate/gateway/registry"
)

// endUserHeader is how a back end names the address of the person it acts for.
const endUserHeader = "Namegate-End-User-Address"

// payerKey is the key of the payer in the context of an operation.
type payerKey struct{}

// withPayer gives an operation the address that is charged for it: the client's; for a
// back end nobody's, unless it names the person's.
func (h *handler) withPayer(ctx context.Context, r *http.Request, caller registry.Caller) (context.Context, *refusal) {
	if !caller.Satisfies(registry.Service) {
		return context.WithValue(ctx, payerKey{}, h.address(r)), nil
	}
	named := r.Header.Values(endUserHeader)
	if len(named) == 0 {
		return ctx, nil
	}
	address, err := netip.ParseAddr(strings.TrimSpace(named[0]))
	if err != nil || len(named) > 1 {
		return nil, badEndUser
	}
	return context.WithValue(ctx, payerKey{}, address), nil
}

// payerOf is the address that is charged for an operation; false when nobody is.
func payerOf(ctx context.Context) (netip.Addr, bool) {
	address, ok := ctx.Value(payerKey{}).(netip.Addr)
	return address, ok
}

// spent refuses, before it is parsed, a document that is not known from before of somebody
// who has had too many documents refused: to find out what is wrong with one is what
// costs most of all that may be had for nothing.
func (h *handler) spent(ctx context.Context, params *graphql.RawParams) *gqlerror.Error {
	payer, pays := payerOf(ctx)
	if !pays {
		return nil
	}
	if _, known := h.documents.Get(ctx, params.Query); known {
		return nil
	}
	standing, on := h.limiter.Standing(ctx, payer, ratelimit.Refused)
	if !on || standing.Remaining > 0 {
		return nil
	}
	if refused := h.limiter.Take(ctx, payer, oneRefused); refused != nil {
		return rateLimited(refused)
	}
	return nil
}

// oneRefused is the charge for a refused document.
var oneRefused = []ratelimit.Charge{{Bucket: ratelimit.Refused, Cost: 1}}

// chargeRefused charges for a document that was refused, but by a limit.
func (h *handler) chargeRefused(ctx context.Context, errs gqlerror.List) {
	if payer, pays := payerOf(ctx); pays && errs[0].Extensions["code"] != codeRateLimited {
		h.limiter.Take(ctx, payer, oneRefused)
	}
}
