package postgres

import (
	"context"
	"slices"

	"namegate/storage"
)

// missedAfter is for how long something may have run out, and stand there yet.
const missedAfter = `interval '5 minutes'`

// notSwept says that the row h ran out so long ago that a sweeper must have met it.
const notSwept = `coalesce(h.expire_at <= now() - ` + missedAfter + ` AND h.intent_grant IS NULL AND h.state IN (1, 3) AND NOT h.blocked, false)`

// endless says that the row h has an intent that nobody may settle for long: a saga is
// given intentTTL.
const endless = `coalesce(h.intent_until > now() + interval '1 hour', false)`

// verifyHolding suspects what one identifier's rows show by themselves.
func (v *verifier) verifyHolding(ctx context.Context, h verifiedHolding, in []int) error {
	astray := slices.ContainsFunc(in, func(i int) bool { return !v.vshards.has(i, h.Vshard) })
	if len(in) > 0 && (astray || storage.Vshard(h.Vshard) != storage.VshardOf(h.id())) || len(in) > 1 {
		return v.suspect(ctx, h.String(), func(ctx context.Context) (*finding, error) { return v.lookAtPlaces(ctx, h) })
	}
	for _, f := range faultsOfRows {
		if len(in) == 0 || !f.shows(&h) {
			continue
		}
		err := v.suspect(ctx, h.String(), func(ctx context.Context) (*finding, error) {
			now, err := v.holding(ctx, h.id())
			if err != nil || now == nil || !f.shows(now) {
				return nil, err
			}
			return newFinding(f.fault, "%v", &h), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// faultsOfRows are those that a row shows by itself.
var faultsOfRows = []struct {
	fault storage.Fault
	shows func(*verifiedHolding) bool
}{
	{storage.NotSwept, func(h *verifiedHolding) bool { return h.NotSwept }},
	{storage.EndlessIntent, func(h *verifiedHolding) bool { return h.Endless }},
	{storage.Ownerless, func(h *verifiedHolding) bool {
		return storage.State(h.State) == storage.Protected && h.Owner.String == ""
	}},
	{storage.LeftBehind, func(h *verifiedHolding) bool {
		return storage.State(h.State) == storage.Released && (!h.Blocked || h.Owner.Valid)
	}},
}
