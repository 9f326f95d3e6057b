package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"namegate/gateway/registry"
	"namegate/storage/postgres"
)

// Layers say what keeps calls from the databases, beside the filter. Any of them may be
// left out, and answers are the same.
type Layers struct {
	// HotShard is how many reserves of one vshard this replica sends to a database in
	// 100 ms; 0 for all.
	HotShard int
}

// Validate returns all that is wrong, joined.
func (l Layers) Validate() error {
	var errs []error
	if l.HotShard < 0 {
		errs = append(errs, errors.New("--hot-shard-limit must not be negative"))
	}
	return errors.Join(errs...)
}

// openLayers makes what checks ask before the databases.
func (r *Replica) openLayers(ctx context.Context, store *postgres.Store, fingerprint []byte) (layers registry.Layers, err error) {
	layers = registry.Bare(store)
	var told listeners
	if !r.opts.Filter.On {
		r.follow(ctx, store, told)
		return layers, nil
	}
	layers.Filter, err = r.openFilter(ctx, store, fingerprint, told)
	if err != nil {
		return layers, fmt.Errorf("open the filter: %w", err)
	}
	return layers, nil
}

// behindValve is the store, with its share of reserves for each vshard.
func (l Layers) behindValve(store registry.Store) registry.Store {
	if l.HotShard == 0 {
		return store
	}
	return registry.NewValve(store, l.HotShard, time.Now)
}
