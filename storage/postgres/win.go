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
	// record, of a request whose record stands in the same database: it is made
	// with the win, or else asked for.
	record *record
}

type winResult struct {
	verdict verdict
	won     bool
	// holding is the caller's own when won, else the one that stands in the way.
	holding storage.Holding
	overdue bool         // the intent beside it may be settled by anybody
	record  recordResult // settled only if the win had one
}

// winSQL wins what is free, records that under the request and says who holds the
// rest, in one statement. A name that is held in the statement's snapshot is left
// out of the INSERT, so that losers lock and write nothing; among the others the
// primary key arbitrates. A takeover of what ran out writes every column. A row that
// appears between snapshot and INSERT, of a holding or a record, yields neither the
// one's success nor the other's contents: ask again.
const winSQL = `
WITH ` + knownTag + `, seen AS MATERIALIZED (
	SELECT i.*, ` + epochNow + ` AS epoch_now, ` + stateNow + ` = 'OWNED' AS owned,
		coalesce(x.held, false) AS held, CASE WHEN x.held THEN x.x END AS x
	FROM unnest($3::smallint[], $4::smallint[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::uuid[], $10::text[], $11::text[],
		$12::bigint[], $13::smallint[], $14::uuid[], $15::bytea[], $16::bytea[], $17::bytea[])
		WITH ORDINALITY AS i (vshard, kind, key, epoch, its_canonical, its_display, its_grant, its_owner, actor,
			ttl, request_vshard, request_id, arguments, key_id, granted, n)
	` + vshardNow + `
	LEFT JOIN LATERAL (
		SELECT x, ` + held + ` AS held FROM holdings x WHERE x.vshard = i.vshard AND x.kind = i.kind AND x.key = i.key LIMIT 1
	) x ON true
), won AS (
	INSERT INTO holdings AS h (vshard, kind, key, state, since, expire_at, grant_id, holder, canonical, display, owner)
	SELECT vshard, kind, key, CASE WHEN ttl = 0 THEN 2 ELSE 1 END, now(), now() + nullif(ttl, 0) * interval '1 microsecond',
		its_grant, nullif(request_id, '00000000-0000-0000-0000-000000000000'),
		CASE WHEN kind = 1 THEN coalesce(its_canonical, key) END,
		CASE WHEN kind = 1 THEN coalesce(its_display, its_canonical, key) END, its_owner
	FROM seen
	WHERE owned AND NOT held AND ` + isolated + `
	ORDER BY vshard, kind, key
	ON CONFLICT (vshard, kind, key) DO UPDATE SET
		state = excluded.state, blocked = false, since = excluded.since, expire_at = excluded.expire_at,
		grant_id = excluded.grant_id, holder = excluded.holder, canonical = excluded.canonical,
		display = excluded.display, owner = excluded.owner, version = DEFAULT
	WHERE h.state <> 2 AND NOT h.blocked AND h.intent_grant IS NULL AND h.expire_at <= now()
	RETURNING h.vshard, h.kind, h.key, h.state AS won_state, h.since AS won_since, h.expire_at AS won_expire_at, h.xmax = 0 AS fresh
), told AS MATERIALIZED (
	SELECT s.n, s.owned, s.held, s.x, s.vshard, s.kind, s.key, s.epoch_now, s.actor, s.its_grant, s.its_owner,
		s.request_vshard, s.request_id, s.arguments, s.key_id, s.granted, w.won_state, w.won_since, w.won_expire_at, w.fresh,
		CASE WHEN s.request_vshard < 0 THEN '' WHEN ` + isKnown + ` THEN 'OWNED' ELSE coalesce(v.state, '') END AS request_state
	FROM seen s LEFT JOIN won w USING (vshard, kind, key)
	LEFT JOIN LATERAL (SELECT * FROM vshards o WHERE NOT ` + isKnown + ` AND o.vshard = s.request_vshard LIMIT 1) v ON true
), recorded AS (
	INSERT INTO requests (vshard, id, state, arguments, key_id, granted, since, expire_at)
	SELECT request_vshard, request_id, 2, arguments, key_id, granted, won_since, won_expire_at
	FROM told
	WHERE won_since IS NOT NULL AND request_state = 'OWNED'
	ORDER BY request_vshard, request_id
	ON CONFLICT DO NOTHING
	RETURNING vshard AS request_vshard, id AS request_id, true AS recorded
), fed AS (
	INSERT INTO feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
	SELECT $2, array_agg(epoch_now), array_agg(vshard), array_agg(kind), array_agg(fresh::int::smallint),
		array_agg(won_state), array_agg(key), array_agg(coalesce(actor, ''))
	FROM told WHERE won_since IS NOT NULL
	HAVING count(*) > 0
), audited AS (
	INSERT INTO audit (grant_id, vshard, kind, state, cause, key, owner, actor)
	SELECT its_grant, vshard, kind, won_state, $2, key, its_owner, coalesce(actor, '')
	FROM told WHERE won_state <> 1
)
SELECT t.n, ` + isKnown + `, t.owned, t.held, t.won_since, t.won_expire_at,
	` + heldColumns + `, coalesce((x).intent_until <= now(), false),
	t.request_state, coalesce(d.recorded, false), r.arguments, r.key_id, r.granted, r.since, r.expire_at
FROM told t LEFT JOIN recorded d USING (request_vshard, request_id)
LEFT JOIN LATERAL (
	SELECT * FROM requests q WHERE d.recorded IS NULL AND q.vshard = t.request_vshard AND q.id = t.request_id LIMIT 1
) r ON true`

// Causes of a change, for the audit.
const (
	causeReserve = "RESERVE"
	causeCancel  = "CANCEL"
	causeImport  = "IMPORT"
	causeConfirm = "CONFIRM"
	causeRename  = "RENAME"
	causeRelease = "RELEASE"
	causeBlock   = "BLOCK"
	causeUnblock = "UNBLOCK"
)

// of is what a result means for the caller who made the try, and for one who
// asked for the same identifier at the same time. A row that the caller's own
// request holds, and that is not blocked, counts as won and keeps its grant.
func (r *winResult) of(w *win, first bool) *winResult {
	if first && (r.won || r.verdict != settled) {
		return r
	}
	own := *r
	if !first {
		own.record = recordResult{verdict: again}
	}
	if own.verdict == settled {
		own.won = w.holder != storage.RequestID{} && r.holding.Holder == w.holder && r.holding.State == storage.Reserved && !r.holding.Blocked
	}
	return &own
}

// winBatch is one run of winSQL for several callers.
type winBatch struct {
	calls   []win
	tries   []win // one for each identifier
	nth     []turn
	columns []any
	rows    []winResult
	known   bool // the ownership that the batch relied on was still so
}

func newWinBatch(calls []win, cause string, known *ownership) (*winBatch, error) {
	tries, nth := distinct(calls, func(w win) place { return placeOf(w.id) })
	oneRecordEach(tries)
	columns, err := winColumns(tries, cause, known)
	return &winBatch{calls: calls, tries: tries, nth: nth, columns: columns, rows: make([]winResult, len(tries))}, err
}

// oneRecordEach leaves a request's record to the first of its tries, as the
// outcome of a second one would be taken for that of the first.
func oneRecordEach(tries []win) {
	seen := make(map[storage.RequestKey]bool, len(tries))
	for i, w := range tries {
		if w.record == nil {
			continue
		}
		if seen[w.record.key] {
			tries[i].record = nil
		}
		seen[w.record.key] = true
	}
}

// results are in the order of the callers.
func (b *winBatch) results() []*winResult {
	out := make([]*winResult, len(b.calls))
	for i, turn := range b.nth {
		out[i] = b.rows[turn.row].of(&b.calls[i], turn.first)
	}
	return out
}

func (b *winBatch) statement() statement {
	return statement{winSQL, b.columns, b.scan}
}

func (b *winBatch) scan(rows pgx.Rows) error {
	var n int
	var owned, held bool
	var since, expireAt pgtype.Timestamptz
	var row heldRow
	var stands recordRow
	var overdue bool
	into := append([]any{&n, &b.known, &owned, &held, &since, &expireAt}, row.fields()...)
	into = append(append(into, &overdue), stands.fields()...)
	_, err := pgx.ForEachRow(rows, into, func() (err error) {
		try, r := b.tries[n-1], &b.rows[n-1]
		switch {
		case !owned:
			*r = winResult{verdict: astray}
		case since.Valid:
			*r = winResult{won: true, holding: try.holding(since, expireAt)}
		case held:
			*r = winResult{holding: row.holding(try.id), overdue: overdue}
		default:
			*r = winResult{verdict: again}
		}
		r.record = recordResult{verdict: astray}
		if try.record != nil {
			r.record, err = stands.result(*try.record, instant(since), instant(expireAt))
		}
		return err
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

func winColumns(tries []win, cause string, known *ownership) ([]any, error) {
	n := len(tries)
	var canonicals, displays, owners, actors sparse
	p, grants, epochs, ttls, outcomes := newPlaces(n), make(pgtype.FlatArray[pgtype.UUID], n), make([]int64, n), make([]int64, n), newOutcomes(n)
	for i, w := range tries {
		p.add(w.id)
		epochs[i] = known.epoch[p.vshards[i]]
		canonicals.set(i, n, w.id.Canonical(), w.id.Key())
		displays.set(i, n, w.id.Display(), w.id.Canonical())
		owners.set(i, n, w.owner, "")
		actors.set(i, n, w.actor, "")
		grants[i], ttls[i] = uuid(w.grant), w.ttl.Microseconds()
		if err := outcomes.set(i, known.recordHere(w.record)); err != nil {
			return nil, err
		}
		outcomes.ids[i] = uuid(w.holder)
	}
	columns := []any{known.tag, cause, p.vshards, p.kinds, p.keys, epochs, canonicals, displays, grants, owners, actors, ttls}
	return append(columns, outcomes.all()...), nil
}

func uuid(b [16]byte) pgtype.UUID { return pgtype.UUID{Bytes: b, Valid: true} }
