package postgres

// PlannedStatement is a statement of a batch with the settings it is planned under.
type PlannedStatement struct {
	SQL    string
	Limits string
	Args   []any
}

// PlannedStatements are the statements that touch tables of any size.
func PlannedStatements() map[string]PlannedStatement {
	records, _ := recordColumns(nil)
	ids := places{vshards: []int16{}, kinds: []int16{}, keys: []string{}}
	lists := []any{ids.vshards, ids.kinds, ids.keys}
	return map[string]PlannedStatement{
		"lookup":  {lookupSQL, readLimits, lists},
		"win":     {winSQL, writeLimits, winColumns(nil, causeReserve)},
		"record":  {recordSQL, writeLimits, records},
		"release": {releaseSQL, writeLimits, releaseColumns(nil)},
		"slots":   {slotsSQL, readLimits, lists},
	}
}
