package app

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"namegate/gateway/edge"
	"namegate/gateway/registry"
	"namegate/storage/postgres"
)

// openRegistry makes the registry on its databases, and has readiness follow them.
func (r *Replica) openRegistry(ctx context.Context) (*registry.Registry, error) {
	a, err := r.opts.reach(ctx, &r.undo, r.databasesEnded)
	if err != nil {
		return nil, err
	}
	keys, err := readKeyring(r.opts.tokenKeyFile())
	if err != nil {
		return nil, err
	}
	a.Terms = r.opts.Terms.storage()
	store, err := postgres.Open(ctx, a.Options)
	if err != nil {
		return nil, fmt.Errorf("open the databases: %w", err)
	}
	r.undo.add("close the databases", func(context.Context) error {
		store.Close()
		return nil
	})
	r.sweep(store)
	r.health.Watch(watch(store, r.log))
	layers, err := r.openLayers(ctx, store, a.Fingerprint)
	if err != nil {
		return nil, err
	}
	return registry.New(r.opts.Layers.behindValve(store), a.parser, &r.words, layers, keys, registry.Options{
		TTL:    r.opts.ReservationTTL,
		Clock:  time.Now,
		Sleep:  registry.Sleep,
		Random: rand.Float64,
	}), nil
}

// healthTimeout leaves a probe that waits for a second the time to be answered.
const healthTimeout = 700 * time.Millisecond

// watch asks the store for the health of its databases. Why one is away goes to
// the log alone, as it may hold addresses.
func watch(store *postgres.Store, log *slog.Logger) edge.DatabasesFunc {
	return func(ctx context.Context) []edge.Database {
		ctx, cancel := context.WithTimeout(ctx, healthTimeout)
		defer cancel()
		var list []edge.Database
		for _, d := range store.Health(ctx) {
			if d.Err != nil {
				log.Warn("database is away", "database", d.Name, "cause", d.Err)
			}
			list = append(list, edge.Database{Name: d.Name, Up: d.Err == nil})
		}
		return list
	}
}
