package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"namegate/gateway/cache"
	"namegate/gateway/hotname"
	"namegate/gateway/registry"
	"namegate/storage/postgres"
	"namegate/storage/rediscache"
)

// Layers say what keeps calls from the databases, beside the filter. Any of them may be
// left out, and answers are the same.
type Layers struct {
	// CacheEntries is how many names are remembered; 0 for none.
	CacheEntries int
	// CacheTTL is how long it is remembered that a name is held, from 1 s to 1 min.
	CacheTTL time.Duration
	// Redis is the URL of the cache that replicas share, as rediscache.ParseURL reads it;
	// "" for none.
	Redis string
	// RedisTTL is how long it is kept there that a name is held.
	RedisTTL time.Duration
	// HotName is how many answers within a second make a taken name hot, so that all
	// replicas know it; 0 for no such list.
	HotName int
	// HotShard is how many reserves of one vshard this replica sends to a database in
	// 100 ms; 0 for all.
	HotShard int
}

// Validate returns all that is wrong, joined, with the filter beside them. What is
// remembered must have a bound.
func (l Layers) Validate(f Filter) error {
	var errs []error
	if (f.On || l.CacheEntries > 0 || l.Redis != "") && (f.Staleness < time.Second || f.Staleness > time.Minute) {
		errs = append(errs, errors.New("--staleness must be from 1s to 1m"))
	}
	if l.CacheEntries < 0 {
		errs = append(errs, errors.New("--cache-entries must not be negative"))
	}
	if l.CacheEntries > 0 && (l.CacheTTL < time.Second || l.CacheTTL > time.Minute) {
		errs = append(errs, errors.New("--cache-ttl must be from 1s to 1m"))
	}
	if l.HotName < 0 || l.HotName > hotname.MaxThreshold {
		errs = append(errs, fmt.Errorf("--hot-name-rate must be from 0 to %d", hotname.MaxThreshold))
	}
	if l.HotShard < 0 {
		errs = append(errs, errors.New("--hot-shard-limit must not be negative"))
	}
	if l.Redis != "" {
		_, err := rediscache.ParseURL(l.Redis)
		errs = append(errs, err)
		if l.RedisTTL < time.Minute {
			errs = append(errs, errors.New("--redis-ttl must be at least 1m"))
		}
	}
	return errors.Join(errs...)
}

// openLayers makes what checks ask before the databases.
func (r *Replica) openLayers(ctx context.Context, store *postgres.Store, fingerprint []byte) (layers registry.Layers, err error) {
	layers = registry.Bare(store)
	var told listeners
	var below cache.Below = layers.Cache
	if r.opts.Layers.Redis != "" {
		if below, err = r.openRedis(ctx, store, fingerprint); err != nil {
			return layers, fmt.Errorf("open the cache in Redis: %w", err)
		}
	}
	remembering, err := r.openCache(below)
	if err != nil {
		return layers, fmt.Errorf("open the cache: %w", err)
	}
	layers.Cache = remembering
	if one, ok := remembering.(listener); ok {
		told = append(told, one)
	}
	r.fleet.topics = map[uint8]func([]byte){}
	var hot *hotname.List
	if r.opts.Layers.HotName > 0 {
		if hot, err = r.openHot(store); err != nil {
			return layers, fmt.Errorf("open the deny list: %w", err)
		}
		layers.Denied, told = hot, append(told, hot)
	}
	if r.opts.Filter.On {
		if layers.Filter, err = r.openFilter(ctx, store, fingerprint, told); err != nil {
			return layers, fmt.Errorf("open the filter: %w", err)
		}
	} else {
		if r.opts.Fleet.on() {
			r.log.Warn("without a filter nothing is shared with other replicas: the flags of gossip are ignored", "flag", "--no-filter")
		}
		r.follow(ctx, store, told)
	}
	if hot != nil {
		r.runHot(ctx, hot)
	}
	r.openVerifier(store, layers, below)
	return layers, nil
}

// behindValve is the store, with its share of reserves for each vshard.
func (l Layers) behindValve(store registry.Store) registry.Store {
	if l.HotShard == 0 {
		return store
	}
	return registry.NewValve(store, l.HotShard, time.Now)
}
