package postgres

import (
	"bytes"
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
	"namegate/storage/identifier"
)

// account is what one read of the owning database says of an account, and of a
// request that is decided beside it.
type account struct {
	owner   string
	now     time.Time // the database's
	version int64     // zero without a row
	renames int
	renamed time.Time
	former  []string // keys of former usernames that redirect, the newest first
	slots   []slot
	pending *pending  // nil when nothing is
	request *decision // nil when there is no record
}

// slot is one identifier of an account.
type slot struct {
	number int16
	id     identifier.Identifier
	grant  storage.Grant
	since  time.Time
}

// holding is the slot as the contract sees it.
func (s slot) holding(owner string) storage.Holding {
	return storage.Holding{Identifier: s.id, State: storage.Active, Grant: s.grant, Owner: owner, Since: s.since}
}

// decision is the record of a request, be it a saga's or a reserve's.
type decision struct {
	committed bool
	overdue   bool // anybody may give it up, if it is not committed
	attempt   [16]byte
	arguments [32]byte
	decidedIn storage.Vshard // where the decision is another row, else -1
	owner     string
	granted   []byte
	keyID     storage.KeyID
	// since is the time of the decision, expireAt that of protections it began.
	since, expireAt time.Time
}

const decisionColumns = `r.state, r.attempt, r.arguments, r.decided_in, r.owner, r.granted, r.key_id, r.since, r.expire_at, ` + recordOverdue

// decisionRow is a decision as it comes from the table, or nulls.
type decisionRow struct {
	state, decidedIn          pgtype.Int2
	attempt                   pgtype.UUID
	owner                     pgtype.Text
	arguments, granted, keyID []byte
	since, expireAt           pgtype.Timestamptz
	overdue                   bool
}

func (r *decisionRow) fields() []any {
	return []any{&r.state, &r.attempt, &r.arguments, &r.decidedIn, &r.owner, &r.granted, &r.keyID, &r.since, &r.expireAt, &r.overdue}
}

func (r *decisionRow) decision() *decision {
	if !r.state.Valid {
		return nil
	}
	d := &decision{
		committed: r.state.Int16 == committed, attempt: r.attempt.Bytes, owner: r.owner.String, decidedIn: -1,
		granted: bytes.Clone(r.granted), since: instant(r.since), expireAt: instant(r.expireAt), overdue: r.overdue,
	}
	if r.decidedIn.Valid {
		d.decidedIn = storage.Vshard(r.decidedIn.Int16)
	}
	copy(d.arguments[:], r.arguments)
	copy(d.keyID[:], r.keyID)
	return d
}

// States of a request's record.
const (
	begun     = 1
	committed = 2
	cancelled = 3 // a reservation that was given back
)

// accountSQL reads an account, what is pending there, the record of one request
// and the account's identifiers, all in one snapshot: a row for each identifier,
// or one.
const accountSQL = `
SELECT coalesce(v.state IN ('OWNED', 'FROZEN'), false), statement_timestamp(),
	coalesce(a.version, 0), coalesce(a.renames, 0), a.renamed_at, coalesce(a.former, '{}'), a.pending_request, a.pending_acts,
	p.since, p.expire_at, ` + decisionColumns + `, s.kind, s.slot, s.key, s.canonical, s.display, s.grant_id, s.since
FROM (SELECT $1::smallint AS vshard, $2::text AS owner, $3::uuid AS request) i
LEFT JOIN LATERAL (SELECT * FROM vshards o WHERE o.vshard = i.vshard LIMIT 1) v ON true
LEFT JOIN LATERAL (SELECT * FROM accounts a WHERE a.vshard = i.vshard AND a.owner = i.owner LIMIT 1) a ON true
LEFT JOIN LATERAL (SELECT * FROM requests r WHERE r.vshard = i.vshard AND r.id = a.pending_request LIMIT 1) p ON true
LEFT JOIN LATERAL (SELECT * FROM requests r WHERE r.vshard = i.vshard AND r.id = i.request LIMIT 1) r ON true
LEFT JOIN LATERAL (SELECT * FROM slots s WHERE s.vshard = i.vshard AND s.owner = i.owner ORDER BY s.kind, s.slot) s ON true`

// readAccount reads the account of an owner and, unless it is zero, a request's record.
func (s *Store) readAccount(ctx context.Context, owner string, request storage.RequestID) (*account, error) {
	v := storage.VshardOfOwner(owner)
	return onOwner(ctx, s, v, func(d *database) (*account, verdict, error) {
		a, ours := &account{owner: owner}, false
		scan := func(rows pgx.Rows) (err error) {
			ours, err = a.scan(rows)
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, runTimeout)
		defer cancel()
		err := d.read(ctx, scan, accountSQL, int16(v), owner, uuid(request))
		switch {
		case err != nil:
			return nil, settled, domainError(err)
		case !ours:
			return nil, astray, nil
		}
		return a, settled, nil
	})
}

func (a *account) scan(rows pgx.Rows) (ours bool, err error) {
	var now, renamed, pendingSince, pendingExpireAt, since pgtype.Timestamptz
	var request, grant pgtype.UUID
	var acts []byte
	var record decisionRow
	var kind, number pgtype.Int2
	var key, canonical, display pgtype.Text
	into := append([]any{&ours, &now, &a.version, &a.renames, &renamed, &a.former, &request, &acts, &pendingSince, &pendingExpireAt}, record.fields()...)
	into = append(into, &kind, &number, &key, &canonical, &display, &grant, &since)
	_, err = pgx.ForEachRow(rows, into, func() (err error) {
		a.now, a.renamed, a.request = instant(now), instant(renamed), record.decision()
		if request.Valid && a.pending == nil {
			if a.pending, err = decodePending(acts); err != nil {
				return err
			}
			a.pending.request, a.pending.since, a.pending.expireAt = request.Bytes, instant(pendingSince), instant(pendingExpireAt)
		}
		if kind.Valid {
			id := identifier.Stored(identifier.Kind(kind.Int16), key.String, canonical.String, display.String)
			a.slots = append(a.slots, slot{number.Int16, id, grant.Bytes, instant(since)})
		}
		return nil
	})
	return ours, err
}

// of is the account's identifiers of a kind.
func (a *account) of(kind identifier.Kind) []slot {
	var list []slot
	for _, s := range a.slots {
		if s.id.Kind() == kind {
			list = append(list, s)
		}
	}
	return list
}

// Account reads the owner's database.
func (s *Store) Account(ctx context.Context, owner string) ([]storage.Holding, error) {
	a, err := s.readAccount(ctx, owner, storage.RequestID{})
	if err != nil {
		return nil, err
	}
	holdings := make([]storage.Holding, len(a.slots))
	for i, slot := range a.slots {
		holdings[i] = slot.holding(owner)
	}
	return holdings, nil
}
