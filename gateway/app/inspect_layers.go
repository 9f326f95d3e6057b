package app

import (
	"context"

	"namegate/gateway/cache"
	"namegate/gateway/hotname"
	"namegate/gateway/registry"
	"namegate/gateway/verify"
	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/rediscache"
)

// stored is the username of a key.
func stored(key string) identifier.Identifier {
	return identifier.Stored(identifier.Username, key, key, key)
}

// remembered gives yield those names that are of the sample.
func remembered(name string, in *verify.Sample, yield func(identifier.Identifier) error) error {
	if id := stored(name); in.Has(id) {
		return yield(id)
	}
	return nil
}

// hotLayer is the deny list, to be verified.
type hotLayer struct{ *hotname.List }

func (hotLayer) Name() registry.Layer { return registry.LayerDenyList }

func (l hotLayer) Each(_ context.Context, in *verify.Sample, yield func(identifier.Identifier) error) error {
	for _, name := range l.Names() {
		if err := remembered(name, in, yield); err != nil {
			return err
		}
	}
	return nil
}

func (l hotLayer) Says(_ context.Context, id identifier.Identifier) (storage.Standing, bool, error) {
	s, ok := l.Peek(id)
	return s, ok, nil
}

func (l hotLayer) Mend(_ context.Context, ids []identifier.Identifier) error {
	l.Drop(ids...)
	return nil
}

// cacheLayer is the replica's own cache.
type cacheLayer struct{ *cache.Cache }

func (cacheLayer) Name() registry.Layer { return registry.LayerLocalCache }

func (l cacheLayer) Each(_ context.Context, in *verify.Sample, yield func(identifier.Identifier) error) error {
	for name := range l.Names() {
		if err := remembered(name, in, yield); err != nil {
			return err
		}
	}
	return nil
}

func (l cacheLayer) Says(_ context.Context, id identifier.Identifier) (storage.Standing, bool, error) {
	s, ok := l.Peek(id)
	return s, ok, nil
}

func (l cacheLayer) Mend(_ context.Context, ids []identifier.Identifier) error {
	for _, id := range ids {
		l.Expect(id)
	}
	return nil
}

// redisLayer is the cache that replicas share.
type redisLayer struct{ *rediscache.Cache }

func (redisLayer) Name() registry.Layer { return registry.LayerRedis }

func (l redisLayer) Each(ctx context.Context, in *verify.Sample, yield func(identifier.Identifier) error) error {
	return l.Names(ctx, func(name string) error { return remembered(name, in, yield) })
}

func (l redisLayer) Says(ctx context.Context, id identifier.Identifier) (storage.Standing, bool, error) {
	return l.Peek(ctx, id)
}

func (l redisLayer) Mend(ctx context.Context, ids []identifier.Identifier) error {
	return l.Drop(ctx, ids...)
}
