package graph

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"namegate/gateway/ratelimit"
	"namegate/graph/gen"
)

// DefaultTimeout bounds an operation when Options do not.
const DefaultTimeout = 3 * time.Second

// Options set a handler up.
type Options struct {
	// Introspection lets clients read the schema, and suggests names to those
	// that mistype one. Off by default.
	Introspection bool
	// Timeout bounds one operation; zero means DefaultTimeout.
	Timeout time.Duration
	// Authenticator tells callers by their access tokens. Required.
	Authenticator Authenticator
	// Limiter is charged for each operation before it runs. Required.
	Limiter ratelimit.Limiter
	// ClientAddress tells from where a request comes. Required.
	ClientAddress func(*http.Request) netip.Addr
	// Logger gets the causes that clients are not told. Required.
	Logger *slog.Logger
}

// NewHandler serves the schema over HTTP: queries and mutations by POST, queries
// also by GET.
func NewHandler(reg Registry, opts Options) http.Handler {
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	faults := newPresenter(opts.Logger)
	schema := servedSchema(&Resolver{registry: reg, limiter: opts.Limiter})
	exec := executor.New(schema)
	documents := newDocumentCache()
	exec.SetQueryCache(documents)
	exec.SetParserTokenLimit(maxTokens)
	exec.SetErrorPresenter(faults.present)
	exec.SetRecoverFunc(recovered)
	exec.SetDisableSuggestion(!opts.Introspection)
	if !opts.Introspection {
		exec.SetDefaultRulesFn(rulesWithoutSuggestions)
	}
	exec.Use(guard{documents: documents, introspection: opts.Introspection})
	exec.Use(newCharger(opts.Limiter, schema.Schema()))
	return &handler{
		exec: exec, documents: documents, callers: opts.Authenticator, address: opts.ClientAddress,
		limiter: opts.Limiter, faults: faults, timeout: opts.Timeout,
	}
}

// servedSchema is the generated schema without @defer, whose later payloads the
// transport could not send.
func servedSchema(resolver *Resolver) graphql.ExecutableSchema {
	config := gen.Config{Resolvers: resolver, Directives: gen.DirectiveRoot{RequiresRole: requiresRole}}
	schema := *gen.NewExecutableSchema(config).Schema()
	schema.Directives = maps.Clone(schema.Directives)
	delete(schema.Directives, "defer")
	config.Schema = &schema
	return gen.NewExecutableSchema(config)
}

// rulesWithoutSuggestions are the rules of validation less those that tell
// names of the schema; the executor itself replaces two more.
func rulesWithoutSuggestions() *rules.Rules {
	set := rules.NewDefaultRules()
	set.ReplaceRule(rules.KnownArgumentNamesRule.Name, rules.KnownArgumentNamesRuleWithoutSuggestions.RuleFunc)
	set.ReplaceRule(rules.KnownTypeNamesRule.Name, rules.KnownTypeNamesRuleWithoutSuggestions.RuleFunc)
	set.ReplaceRule(rules.ValuesOfCorrectTypeRule.Name, rules.ValuesOfCorrectTypeRuleWithoutSuggestions.RuleFunc)
	return set
}

// handler is GraphQL over HTTP for one executor.
type handler struct {
	exec      *executor.Executor
	documents *documentCache
	callers   Authenticator
	address   func(*http.Request) netip.Addr
	limiter   ratelimit.Limiter
	faults    presenter
	timeout   time.Duration
}

// ServeHTTP answers one request with one response.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	media, ok := negotiate(r.Header["Accept"])
	defer func() {
		if panicked := recover(); panicked != nil {
			h.panicked(w, r, media, panicked)
		}
	}()
	if !ok {
		writeRefusal(w, media, notAcceptable)
		return
	}
	params, refused := readRequest(r)
	if refused != nil {
		writeRefusal(w, media, refused)
		return
	}
	ctx, refused := h.identify(r)
	if refused != nil {
		writeRefusal(w, media, refused)
		return
	}
	ctx, cancel := context.WithTimeout(graphql.StartOperationTrace(ctx), h.timeout)
	defer cancel()
	h.execute(ctx, w, r, media, params)
}

// identify gives an operation its caller, and who is charged for it.
func (h *handler) identify(r *http.Request) (context.Context, *refusal) {
	caller, err := h.callers.Authenticate(r.Header)
	if err != nil {
		return nil, unauthenticated(err)
	}
	return h.withPayer(withCaller(r.Context(), caller), r, caller)
}

// execute runs one operation and writes its response.
func (h *handler) execute(ctx context.Context, w http.ResponseWriter, r *http.Request, media string, params *graphql.RawParams) {
	if spent := h.spent(ctx, params); spent != nil {
		writeResponse(w, media, &graphql.Response{Errors: gqlerror.List{spent}})
		return
	}
	op, errs := h.exec.CreateOperationContext(ctx, params)
	if errs != nil {
		h.chargeRefused(ctx, errs)
		writeResponse(w, media, h.exec.DispatchError(graphql.WithOperationContext(ctx, op), errs))
		return
	}
	if refused := refuseByMethod(r, op); refused != nil {
		writeRefusal(w, media, refused)
		return
	}
	respond, ctx := h.exec.DispatchOperation(ctx, op)
	response := respond(ctx)
	if response == nil { // the context ended before anything was executed
		response = &graphql.Response{Errors: gqlerror.List{h.faults.present(ctx, context.Cause(ctx))}}
	}
	writeResponse(w, media, response)
}

// panicked answers a request that made the transport or the executor panic.
func (h *handler) panicked(w http.ResponseWriter, r *http.Request, media string, value any) {
	err := h.faults.present(r.Context(), recovered(r.Context(), value))
	writeResponse(w, media, &graphql.Response{Errors: gqlerror.List{err}})
}

// postOnly are the root fields whose arguments are secrets, which must not
// stand in a URL.
var postOnly = map[string]bool{"reservation": true}

// refuseByMethod keeps everything but plain queries out of GET.
func refuseByMethod(r *http.Request, op *graphql.OperationContext) *refusal {
	if r.Method != http.MethodGet {
		return nil
	}
	if op.Operation.Operation != ast.Query {
		return mutationByGET
	}
	for _, field := range graphql.CollectFields(op, op.Operation.SelectionSet, []string{"Query"}) {
		if postOnly[field.Name] {
			return secretByGET
		}
	}
	return nil
}
