package postgres

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
)

// decision is the record of a request, be it a saga's or a reserve's.
type decision struct {
	state     int16
	overdue   bool // anybody may give it up, if it has only begun
	attempt   [16]byte
	arguments [32]byte
	decidedIn storage.Vshard // where the decision is another row, else -1
	owner     string
	granted   []byte
	// since is the time of the decision, expireAt that of protections it began.
	since, expireAt time.Time
}

const decisionColumns = `r.state, r.attempt, r.arguments, r.decided_in, r.owner, r.granted, r.since, r.expire_at, ` + recordOverdue

// decisionRow is a decision as it comes from the table, or nulls.
type decisionRow struct {
	state, decidedIn   pgtype.Int2
	attempt            pgtype.UUID
	owner              pgtype.Text
	arguments, granted []byte
	since, expireAt    pgtype.Timestamptz
	overdue            bool
}

func (r *decisionRow) fields() []any {
	return []any{&r.state, &r.attempt, &r.arguments, &r.decidedIn, &r.owner, &r.granted, &r.since, &r.expireAt, &r.overdue}
}

func (r *decisionRow) decision() *decision {
	if !r.state.Valid {
		return nil
	}
	d := &decision{
		state: r.state.Int16, attempt: r.attempt.Bytes, owner: r.owner.String, decidedIn: -1,
		granted: bytes.Clone(r.granted), since: instant(r.since), expireAt: instant(r.expireAt), overdue: r.overdue,
	}
	if r.decidedIn.Valid {
		d.decidedIn = storage.Vshard(r.decidedIn.Int16)
	}
	copy(d.arguments[:], r.arguments)
	return d
}

// States of a request's record.
const (
	begun     = 1
	committed = 2
	cancelled = 3 // a reservation that was given back
)

const requestSQL = `
SELECT coalesce(v.state IN ('OWNED', 'FROZEN'), false), ` + decisionColumns + `
FROM (SELECT $1::smallint AS vshard, $2::uuid AS id) i
LEFT JOIN LATERAL (SELECT * FROM vshards o WHERE o.vshard = i.vshard LIMIT 1) v ON true
LEFT JOIN LATERAL (SELECT * FROM requests r WHERE r.vshard = i.vshard AND r.id = i.id LIMIT 1) r ON true`

// readRequest reads the record of a request; nil when there is none.
func (s *Store) readRequest(ctx context.Context, key storage.RequestKey) (*decision, error) {
	var row decisionRow
	err := s.readOwned(ctx, key.Vshard, row.fields(), nothing, requestSQL, int16(key.Vshard), uuid(key.ID))
	if err != nil {
		return nil, err
	}
	return row.decision(), nil
}

// recorded says that the decision gave out the grant. An intent with another one
// came too late.
func (d *decision) recorded(grant storage.Grant) (bool, error) {
	names, err := decodeGranted(d.granted, d.since, d.expireAt)
	return slices.ContainsFunc(names, func(h storage.Holding) bool { return h.Grant == grant }), err
}
