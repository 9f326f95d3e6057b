package postgres

import (
	"context"

	"namegate/storage"
)

// PlannedChanges are the statements of a saga, and of a cancel, that change rows
// which they find by several keys.
func PlannedChanges() map[string]PlannedStatement {
	g, p := &saga{}, &pending{}
	carry, undo, lay := p.carry("", nil, nil), undo(nil, "", nil), g.lay(nil, true, nil)
	return map[string]PlannedStatement{
		"carry":   {carry[1].sql, writeLimits, carry[1].args},
		"undo":    {undo[1].sql, writeLimits, undo[1].args},
		"lock":    {lockSQL, writeLimits, carry[0].args},
		"lay":     {lay.sql, writeLimits, lay.args},
		"release": {releaseSQL, writeLimits, releaseColumns(nil)},
		"block":   {blockSQL, writeLimits, new(Store).block(storage.Order{}).args},
		"unblock": {unblockSQL, writeLimits, orderColumns(storage.Order{}, causeUnblock)},
	}
}

// Abandon gives an attempt at a change up, unless it is decided.
func Abandon(ctx context.Context, s *Store, c storage.Change, id [16]byte) (decided, forgotten bool, err error) {
	return s.abandon(ctx, attempt{storage.VshardOfOwner(c.Owner), c.Request.ID, id})
}
