package app

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"namegate/gateway/cache"
	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
	"namegate/storage/rediscache"
)

// throughRedis asks the cache that replicas share, and it the databases.
type throughRedis struct {
	shared *rediscache.Cache
	store  storage.Reader
}

func (t throughRedis) Lookup(ctx context.Context, id identifier.Identifier) (registry.Found, error) {
	s, shared, err := t.shared.Lookup(ctx, id, func(ctx context.Context) (storage.Standing, error) { return t.store.Lookup(ctx, id) })
	if shared {
		return registry.Found{Standing: s, Layer: registry.LayerRedis}, err
	}
	return registry.Found{Standing: s, Layer: registry.LayerDatabase}, err
}

func (t throughRedis) Changed(ctx context.Context, id identifier.Identifier) {
	t.shared.Changed(ctx, id)
}

// openRedis opens the shared cache, and has it follow the feeds.
func (r *Replica) openRedis(ctx context.Context, store *postgres.Store, fingerprint []byte) (cache.Below, error) {
	started := time.Now()
	shared, err := rediscache.Open(ctx, rediscache.Options{
		URL: r.opts.Layers.Redis, Prefix: rediscache.DefaultPrefix, Fingerprint: fingerprint,
		TakenTTL: r.opts.Layers.RedisTTL, Staleness: r.opts.Filter.Staleness, Timeout: rediscache.DefaultTimeout,
		// Its times are compared with each other alone.
		Clock:  func() time.Time { return started.Add(sinceBoot()) },
		Random: rand.Uint64, Logger: r.opts.Logger,
	})
	if err != nil {
		return nil, err
	}
	var readers []feed.Reader
	for _, reader := range store.Feeds(time.Now) {
		readers = append(readers, reader)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var following sync.WaitGroup
	following.Go(func() { shared.NewInvalidator(readers).Run(ctx) })
	r.undo.add("close the cache in Redis", func(context.Context) error {
		stop()
		following.Wait()
		return shared.Close()
	})
	return throughRedis{shared, store}, nil
}
