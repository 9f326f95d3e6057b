package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"namegate/gateway/registry"
	"namegate/gateway/verify"
	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

// copiedVshards is how many vshards one copy is of: it keeps the database from cleaning up
// for as long as it lasts.
const copiedVshards = 32

// filterLayer is the filter, to be verified against the tables.
type filterLayer struct {
	*filter
	feeds []postgres.FeedReader // in the order of the filter's sources
}

func (filterLayer) Name() registry.Layer { return registry.LayerFilter }

// Says is at most that nobody has a name.
func (l filterLayer) Says(_ context.Context, id identifier.Identifier) (storage.Standing, bool, error) {
	asOf, ok := l.Free(id)
	return storage.Standing{AsOf: asOf}, ok, nil
}

// Each gives the names of the tables. A database that is away keeps none from the others'.
func (l filterLayer) Each(ctx context.Context, in *verify.Sample, yield func(identifier.Identifier) error) error {
	var errs []error
	silent, all := 0, 0
	for _, reader := range l.feeds {
		owned, err := ownedOf(ctx, reader)
		owned = slices.DeleteFunc(owned, func(v storage.Vshard) bool { return !in[v] })
		for some := range slices.Chunk(owned, copiedVshards) {
			err = errors.Join(err, names(ctx, reader, some, yield))
		}
		for _, v := range owned {
			if all++; !l.net.Vouched(int(v)) {
				silent++
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("database %s: %w", reader.Database(), err))
		}
	}
	if silent > 0 {
		errs = append(errs, fmt.Errorf("it does not answer for %d of %d vshards", silent, all))
	}
	return errors.Join(errs...)
}

// Mend makes the bases of the vshards anew. The newest base of a vshard spreads to all replicas.
func (l filterLayer) Mend(ctx context.Context, ids []identifier.Identifier) error {
	var errs []error
	for i, reader := range l.feeds {
		owned, err := ownedOf(ctx, reader)
		var shards []int
		for _, v := range owned {
			if slices.ContainsFunc(ids, func(id identifier.Identifier) bool { return storage.VshardOf(id) == v }) {
				shards = append(shards, int(v))
			}
		}
		errs = append(errs, err, l.net.Rebuild(ctx, i, shards))
	}
	return errors.Join(errs...)
}

// names gives yield the usernames of some vshards.
func names(ctx context.Context, reader feed.Copier, some []storage.Vshard, yield func(identifier.Identifier) error) error {
	_, err := reader.Copy(ctx, identifier.Username, some, func(rows []feed.Row) error {
		for _, row := range rows {
			if err := yield(stored(row.Key)); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// ownedOf are the vshards that a database owns at this time.
func ownedOf(ctx context.Context, reader feed.WholeReader) ([]storage.Vshard, error) {
	at, err := reader.Now(ctx)
	if err != nil {
		return nil, err
	}
	whole, err := reader.PollWhole(ctx, at, [16]byte{}, maxUpdates)
	if err != nil || whole.Owned == nil {
		return nil, err
	}
	var owned []storage.Vshard
	for v, epoch := range whole.Owned {
		if epoch > 0 {
			owned = append(owned, storage.Vshard(v))
		}
	}
	return owned, nil
}
