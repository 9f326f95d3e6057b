package app

import (
	"context"
	"math/rand/v2"
	"time"

	"namegate/gateway/cache"
	"namegate/gateway/hotname"
	"namegate/gateway/registry"
	"namegate/gateway/verify"
	"namegate/storage/postgres"
)

// settleTime is longer than a layer may be behind a database, and has time for its work.
const settleTime = 5 * time.Second

// openVerifier has the replica verify those of its layers that there are, when it is asked.
func (r *Replica) openVerifier(store *postgres.Store, layers registry.Layers, below cache.Below) {
	var list []verify.Layer
	if l, ok := layers.Denied.(*hotname.List); ok {
		list = append(list, hotLayer{l})
	}
	if l, ok := layers.Cache.(*cache.Cache); ok {
		list = append(list, cacheLayer{l})
	}
	if l, ok := layers.Filter.(*filter); ok {
		list = append(list, filterLayer{l, store.Feeds(time.Now)})
	}
	if l, ok := below.(throughRedis); ok {
		list = append(list, redisLayer{l.shared})
	}
	server := verify.NewServer(verify.New(verify.Options{
		Layers: list, Store: store, Settle: 2*r.opts.Filter.Staleness + settleTime, Sleep: registry.Sleep, Random: rand.Float64,
	}))
	r.verifying.Store(server)
	r.undo.add("end a verification", func(context.Context) error {
		server.Close()
		return nil
	})
}
