package registry

import (
	"context"

	"namegate/storage"
	"namegate/storage/identifier"
)

// noted is a store that tells the cache of what it has changed, so that whoever asks this
// replica after the answer to a change is told of it. Others hear of it by the feed.
type noted struct {
	Store
	cache Cache
}

func (n noted) of(ctx context.Context, list ...storage.Holding) {
	for _, h := range list {
		if h.Identifier.Kind() == identifier.Username {
			n.cache.Changed(ctx, h.Identifier)
		}
	}
}

// Reserve is that of the store.
func (n noted) Reserve(ctx context.Context, req storage.ReserveRequest) (storage.Outcome, error) {
	o, err := n.Store.Reserve(ctx, req)
	if err == nil {
		n.of(ctx, o.Holding)
	}
	return o, err
}

// ReserveAll is that of the store.
func (n noted) ReserveAll(ctx context.Context, req storage.ReserveRequest) (storage.Outcomes, error) {
	o, err := n.Store.ReserveAll(ctx, req)
	n.of(ctx, o.Holdings...)
	return o, err
}

// Cancel is that of the store.
func (n noted) Cancel(ctx context.Context, key storage.RequestKey) ([]storage.Holding, error) {
	list, err := n.Store.Cancel(ctx, key)
	n.of(ctx, list...)
	return list, err
}

// Confirm is that of the store.
func (n noted) Confirm(ctx context.Context, c storage.Change, reservation storage.RequestKey) ([]storage.Holding, error) {
	list, err := n.Store.Confirm(ctx, c, reservation)
	n.of(ctx, list...)
	return list, err
}

// Rename is that of the store.
func (n noted) Rename(ctx context.Context, c storage.Change, to identifier.Identifier) (storage.Renamed, error) {
	renamed, err := n.Store.Rename(ctx, c, to)
	if err == nil {
		n.of(ctx, renamed.Holding)
	}
	if err == nil && renamed.Former != nil {
		n.of(ctx, *renamed.Former)
	}
	return renamed, err
}

// Release is that of the store.
func (n noted) Release(ctx context.Context, c storage.Change, ids ...identifier.Identifier) ([]storage.Holding, error) {
	list, err := n.Store.Release(ctx, c, ids...)
	n.of(ctx, list...)
	return list, err
}
