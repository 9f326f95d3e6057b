package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
	"namegate/storage/identifier"
)

// account is what one read of the owning database says of an account, and of a
// request that is decided beside it.
type account struct {
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

// accountSQL reads an account, what is pending there, the record of one request
// and the account's identifiers, all in one snapshot: a row for each identifier,
// or one.
const accountSQL = `
SELECT coalesce(v.state IN ('OWNED', 'FROZEN'), false), now(),
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
	var a account
	var row accountRow
	each := func() error { return a.add(&row) }
	if err := s.readOwned(ctx, v, row.fields(), each, accountSQL, int16(v), owner, uuid(request)); err != nil {
		return nil, err
	}
	return &a, nil
}

// accountRow is a row of accountSQL, behind its first column.
type accountRow struct {
	now, renamed, pendingSince, pendingExpireAt, since pgtype.Timestamptz
	version                                            int64
	renames                                            int
	former                                             []string
	pending, grant                                     pgtype.UUID
	acts                                               []byte
	record                                             decisionRow
	kind, number                                       pgtype.Int2
	key, canonical, display                            pgtype.Text
}

func (r *accountRow) fields() []any {
	list := []any{&r.now, &r.version, &r.renames, &r.renamed, &r.former, &r.pending, &r.acts, &r.pendingSince, &r.pendingExpireAt}
	list = append(list, r.record.fields()...)
	return append(list, &r.kind, &r.number, &r.key, &r.canonical, &r.display, &r.grant, &r.since)
}

// add adds a row, which differs from the one before only in its slot.
func (a *account) add(r *accountRow) (err error) {
	a.now, a.version, a.renames, a.renamed, a.former = instant(r.now), r.version, r.renames, instant(r.renamed), r.former
	a.request = r.record.decision()
	if r.pending.Valid && a.pending == nil {
		if a.pending, err = decodePending(r.acts); err != nil {
			return err
		}
		a.pending.request, a.pending.since, a.pending.expireAt = r.pending.Bytes, instant(r.pendingSince), instant(r.pendingExpireAt)
	}
	if r.kind.Valid {
		id := identifier.Stored(identifier.Kind(r.kind.Int16), r.key.String, r.canonical.String, r.display.String)
		a.slots = append(a.slots, slot{r.number.Int16, id, r.grant.Bytes, instant(r.since)})
	}
	return nil
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
