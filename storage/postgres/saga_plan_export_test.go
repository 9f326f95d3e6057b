package postgres

// PlannedChanges are the statements of a saga, and of a cancel, that change rows
// which they find by several keys.
func PlannedChanges() map[string]PlannedStatement {
	g, p, reached := &saga{}, &pending{}, 0
	carry, undo, lay := p.carry("", nil, nil, &reached), undo(nil, "", nil), g.lay(nil, true, nil)
	return map[string]PlannedStatement{
		"carry":   {carry[1].sql, writeLimits, carry[1].args},
		"undo":    {undo[1].sql, writeLimits, undo[1].args},
		"lock":    {lockSQL, writeLimits, carry[0].args},
		"lay":     {lay.sql, writeLimits, lay.args},
		"release": {releaseSQL, writeLimits, releaseColumns(nil)},
	}
}
