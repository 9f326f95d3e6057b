package registry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"namegate/storage"
	"namegate/storage/identifier"
)

// valveWindow is what a Valve's limit is for.
const valveWindow = 100 * time.Millisecond

// Valve is a store that lets only so many reserves of one vshard through at a time, so
// that all who want names of one shard, or one name, do not take its database away from
// the rest.
type Valve struct {
	Store
	clock  func() time.Time
	shards [storage.Vshards]*rate.Limiter
}

// NewValve lets limit reserves of each vshard through in 100 ms.
func NewValve(store Store, limit int, clock func() time.Time) *Valve {
	v := &Valve{Store: store, clock: clock}
	for i := range v.shards {
		v.shards[i] = rate.NewLimiter(rate.Limit(limit)/rate.Limit(valveWindow.Seconds()), limit)
	}
	return v
}

// Reserve fails with *storage.OverloadedError, too, when a shard has had its share.
func (v *Valve) Reserve(ctx context.Context, req storage.ReserveRequest) (storage.Outcome, error) {
	if err := v.pass(req.Candidates); err != nil {
		return storage.Outcome{}, err
	}
	return v.Store.Reserve(ctx, req)
}

// ReserveAll fails with *storage.OverloadedError, too, when a shard has had its share.
func (v *Valve) ReserveAll(ctx context.Context, req storage.ReserveRequest) (storage.Outcomes, error) {
	if err := v.pass(req.Candidates); err != nil {
		return storage.Outcomes{}, err
	}
	return v.Store.ReserveAll(ctx, req)
}

// errShut says that a request was not sent for lack of a place, and so has changed nothing.
var errShut = errors.New("the virtual shard has had its share")

// pass takes a place in each shard that has candidates, or none: those of one shard are
// read together, and of more of them than the limit none could ever pass.
func (v *Valve) pass(candidates []identifier.Identifier) error {
	now := v.clock()
	places := make(map[storage.Vshard]*rate.Reservation, len(candidates))
	for _, id := range candidates {
		shard := storage.VshardOf(id)
		if places[shard] != nil {
			continue
		}
		place := v.shards[shard].ReserveN(now, 1)
		places[shard] = place
		if wait := place.DelayFrom(now); wait > 0 {
			for _, taken := range places {
				taken.CancelAt(now)
			}
			return fmt.Errorf("%w: %w", errShut, &storage.OverloadedError{RetryAfter: wait})
		}
	}
	return nil
}
