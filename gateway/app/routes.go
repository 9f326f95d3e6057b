package app

import (
	"net/http"

	"namegate/gateway/edge"
	"namegate/gateway/registry"
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

// routes are the handlers of the public listener.
func (r *Replica) routes(reg *registry.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", web.Handler())
	mux.Handle(graphqlPath, graph.NewHandler(reg, graph.Options{
		Introspection: r.opts.Introspection,
		Authenticator: r.callers,
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
	return edge.Recover(mux, r.log)
}
