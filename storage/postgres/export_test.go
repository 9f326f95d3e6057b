package postgres

import (
	"context"

	"namegate/storage"
)

// PlannedStatement is a statement of a batch with the settings it is planned under.
type PlannedStatement struct {
	SQL    string
	Limits string
	Args   []any
}

// PlannedStatements are the statements that touch tables of any size.
func PlannedStatements() map[string]PlannedStatement {
	records, _ := recordColumns(nil, new(ownership))
	wins, _ := winColumns(nil, causeReserve, new(ownership))
	ids := places{vshards: []int16{}, kinds: []int16{}, keys: []string{}}
	lists := []any{ids.vshards, ids.kinds, ids.keys}
	return map[string]PlannedStatement{
		"lookup":  {lookupSQL, readLimits, lists},
		"win":     {winSQL, writeLimits, wins},
		"record":  {recordSQL, writeLimits, records},
		"release": {releaseSQL, writeLimits, releaseColumns(nil)},
		"slots":   {slotsSQL, readLimits, lists},
	}
}

// RemembersEpoch says that the store takes every vshard of its first database for
// owned at an epoch.
func RemembersEpoch(s *Store, epoch int64) bool {
	for _, e := range s.databases[0].ownership.Load().epoch {
		if e != epoch {
			return false
		}
	}
	return true
}

// OnWrite calls a function after each write of a saga that the store has
// committed, in the goroutine that takes its next step. Set it before any saga.
func OnWrite(s *Store, wrote func()) {
	for _, d := range s.databases {
		d.wrote = wrote
	}
}

// FreeInOneBatch frees reservations of the first database in one batch, and says for
// each whether it was freed for it.
func FreeInOneBatch(ctx context.Context, s *Store, holdings ...storage.Holding) (freed []bool, err error) {
	var batch []release
	for _, h := range holdings {
		batch = append(batch, release{h.Identifier, h.Grant, storage.Reserved, causeCancel, ""})
	}
	results, err := s.databases[0].release(ctx, batch)
	for _, r := range results {
		freed = append(freed, r.freed)
	}
	return freed, err
}
