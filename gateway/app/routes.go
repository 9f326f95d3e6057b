package app

import (
	"net/http"

	"namegate/gateway/edge"
	"namegate/gateway/registry"
	"namegate/gateway/verify"
	"namegate/gateway/web"
	"namegate/graph"
	"namegate/graph/playground"
)

// The paths of the public listener, beside those of package web.
const (
	graphqlPath    = "/graphql"
	playgroundPath = "/playground"
	demoTokenPath  = "/demo/token"
)

// adminRoutes are the handlers of the admin listener.
func (r *Replica) adminRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", r.health.Handler())
	mux.HandleFunc("POST "+verify.Path, func(w http.ResponseWriter, request *http.Request) {
		server := r.verifying.Load()
		if server == nil {
			http.Error(w, "the replica is starting", http.StatusServiceUnavailable)
			return
		}
		server.ServeHTTP(w, request)
	})
	return mux
}

// routes are the handlers of the public listener.
func (r *Replica) routes(reg *registry.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", web.Handler())
	mux.Handle(graphqlPath, graph.NewHandler(reg, graph.Options{
		Introspection: r.opts.Introspection,
		Authenticator: r.callers,
		Limiter:       r.openLimits(),
		ClientAddress: edge.Addresses{Trusted: r.opts.Limits.Trusted}.Of,
		Logger:        r.opts.Logger.With("component", "graph"),
	}))
	if r.demo != nil {
		mux.Handle(demoTokenPath, r.demo.Handler())
	}
	if r.opts.Playground {
		page := playground.Handler(graphqlPath, playgroundPath+"/")
		mux.Handle(playgroundPath, page)
		mux.Handle(playgroundPath+"/", page)
	}
	return edge.Recover(r.health.Retire(mux), r.log)
}
