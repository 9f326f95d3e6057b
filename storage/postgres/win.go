package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
	"namegate/storage/identifier"
)

// win is an attempt to hold an identifier.
type win struct {
	id     identifier.Identifier
	grant  storage.Grant
	holder storage.RequestID // zero for an import
	owner  string            // of an import
	actor  string
	ttl    time.Duration // zero for an Active holding
}

type winResult struct {
	verdict verdict
	won     bool
	// holding is the caller's own when won, else the one that stands in the way.
	holding storage.Holding
}

// winSQL wins what is free and says who holds the rest, in one statement. A name
// that is held in the statement's snapshot is left out of the INSERT, so that
// losers lock and write nothing; among the others the primary key arbitrates. A
// takeover of what ran out writes every column. A row that appears between
// snapshot and INSERT yields neither a win nor a holder: ask again.
const winSQL = `
WITH seen AS MATERIALIZED (
	SELECT i.*, v.epoch, coalesce(v.state = 'OWNED', false) AS owned, ` + held + ` AS held, ` + heldColumns + `
	FROM unnest($1::smallint[], $2::smallint[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::uuid[], $8::text[],
		$9::text[], $10::bigint[])
		WITH ORDINALITY AS i (vshard, kind, key, its_canonical, its_display, its_grant, its_holder, its_owner, actor, ttl, n)
	LEFT JOIN LATERAL (SELECT * FROM vshards o WHERE o.vshard = i.vshard LIMIT 1) v ON true
	LEFT JOIN LATERAL (
		SELECT * FROM holdings h WHERE h.vshard = i.vshard AND h.kind = i.kind AND h.key = i.key LIMIT 1
	) x ON true
), won AS (
	INSERT INTO holdings AS h (vshard, kind, key, state, since, expire_at, grant_id, holder, canonical, display, owner)
	SELECT vshard, kind, key, CASE WHEN ttl = 0 THEN 2 ELSE 1 END, now(), now() + nullif(ttl, 0) * interval '1 microsecond',
		its_grant, nullif(its_holder, '00000000-0000-0000-0000-000000000000'),
		nullif(its_canonical, ''), nullif(its_display, ''), nullif(its_owner, '')
	FROM seen
	WHERE owned AND NOT held AND ` + isolated + `
	ORDER BY vshard, kind, key
	ON CONFLICT (vshard, kind, key) DO UPDATE SET
		state = excluded.state, blocked = false, since = excluded.since, expire_at = excluded.expire_at,
		grant_id = excluded.grant_id, holder = excluded.holder, canonical = excluded.canonical,
		display = excluded.display, owner = excluded.owner, successor = NULL
	WHERE h.state <> 2 AND NOT h.blocked AND h.intent_grant IS NULL AND h.expire_at <= now()
	RETURNING h.vshard, h.kind, h.key, h.state, h.since, h.expire_at, h.grant_id, h.owner, h.xmax = 0 AS fresh
), fed AS (
	INSERT INTO feed (epoch, vshard, kind, change, state, key, cause, actor)
	SELECT s.epoch, w.vshard, w.kind, CASE WHEN w.fresh THEN 1 ELSE 0 END, w.state, w.key, $11, s.actor
	FROM won w JOIN seen s USING (vshard, kind, key)
), audited AS (
	INSERT INTO audit (grant_id, vshard, kind, state, cause, key, owner, actor)
	SELECT w.grant_id, w.vshard, w.kind, w.state, $11, w.key, w.owner, s.actor
	FROM (SELECT * FROM won WHERE state <> 1) w JOIN seen s USING (vshard, kind, key)
)
SELECT s.n, s.owned, s.held, w.since, w.expire_at,
	s.state, s.blocked, s.grant_id, s.holder, s.owner, s.since, s.expire_at, s.canonical, s.display
FROM seen s LEFT JOIN won w USING (vshard, kind, key)`

// Causes of a change, for the audit.
const (
	causeReserve = "RESERVE"
	causeCancel  = "CANCEL"
	causeImport  = "IMPORT"
)

// of is what a result means for the caller who made the try, and for one who
// asked for the same identifier at the same time. A row that the caller's own
// request holds counts as won and keeps its grant.
func (r winResult) of(w win, first bool) winResult {
	if r.verdict == settled && !first {
		r.won = false
	}
	if r.verdict == settled && !r.won {
		r.won = w.holder != storage.RequestID{} && r.holding.Holder == w.holder && r.holding.State == storage.Reserved
	}
	return r
}

// winBatch is one run of winSQL for several callers.
type winBatch struct {
	calls []win
	tries []win // one for each identifier
	nth   []turn
	cause string
	rows  []winResult
}

func newWinBatch(calls []win, cause string) *winBatch {
	tries, nth := distinct(calls, func(w win) place { return placeOf(w.id) })
	return &winBatch{calls, tries, nth, cause, make([]winResult, len(tries))}
}

// results are in the order of the callers.
func (b *winBatch) results() []winResult {
	out := make([]winResult, len(b.calls))
	for i, turn := range b.nth {
		out[i] = b.rows[turn.row].of(b.calls[i], turn.first)
	}
	return out
}

func (b *winBatch) statement() statement {
	return statement{winSQL, winColumns(b.tries, b.cause), b.scan}
}

func (b *winBatch) scan(rows pgx.Rows) error {
	var n int
	var owned, held bool
	var since, expireAt pgtype.Timestamptz
	var row heldRow
	into := append([]any{&n, &owned, &held, &since, &expireAt}, row.fields()...)
	_, err := pgx.ForEachRow(rows, into, func() error {
		try, r := b.tries[n-1], &b.rows[n-1]
		switch {
		case !owned:
			*r = winResult{verdict: astray}
		case since.Valid:
			*r = winResult{won: true, holding: try.holding(since, expireAt)}
		case held:
			*r = winResult{holding: row.holding(try.id)}
		default:
			*r = winResult{verdict: again}
		}
		return nil
	})
	return err
}

// holding is what the try has won.
func (w win) holding(since, expireAt pgtype.Timestamptz) storage.Holding {
	h := storage.Holding{
		Identifier: w.id, State: storage.Reserved, Grant: w.grant, Holder: w.holder, Owner: w.owner,
		Since: instant(since), ExpireAt: instant(expireAt),
	}
	if w.ttl == 0 {
		h.State = storage.Active
	}
	return h
}

func winColumns(tries []win, cause string) []any {
	n := len(tries)
	var p places
	canonicals, displays, owners, actors := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	grants, holders, ttls := make([]pgtype.UUID, n), make([]pgtype.UUID, n), make([]int64, n)
	for i, w := range tries {
		p.add(w.id)
		canonicals[i], displays[i], owners[i], actors[i] = w.id.Canonical(), w.id.Display(), w.owner, w.actor
		grants[i], holders[i] = uuid(w.grant), uuid(w.holder)
		ttls[i] = w.ttl.Microseconds()
	}
	return []any{p.vshards, p.kinds, p.keys, canonicals, displays, grants, holders, owners, actors, ttls, cause}
}

func uuid(b [16]byte) pgtype.UUID { return pgtype.UUID{Bytes: b, Valid: true} }
