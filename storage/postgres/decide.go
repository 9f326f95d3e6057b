package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
)

// The account's row is made where it is missing, and locked, before the decision
// takes its snapshot.
const (
	openAccountSQL = `
INSERT INTO accounts (vshard, owner, version)
SELECT v.vshard, $4::text, 0
FROM vshards v WHERE v.vshard = $1::smallint AND v.state = 'OWNED' AND EXISTS (` + stillBegun + `)
ON CONFLICT DO NOTHING`
	lockAccountSQL = `SELECT FROM accounts WHERE vshard = $1::smallint AND owner = $2::text FOR UPDATE`
)

// decideSQL is the commit point. If the attempt has begun and not been given up,
// nothing is pending for the account, and it is as it was read ($5), then the
// record gets its outcome, and the account its new identifiers and what is left to
// do. What is in the same database must be owned there ($26): the intents must lie
// there with their grants, the reservation must not have been cancelled ($24), and
// the request's own record must point here ($27).
const decideSQL = `
WITH intents AS (
	SELECT count(*) AS n
	FROM unnest($11::smallint[], $12::smallint[], $13::text[], $14::uuid[]) AS i (vshard, kind, key, intent_grant)
	CROSS JOIN LATERAL (
		SELECT FROM holdings h
		WHERE h.vshard = i.vshard AND h.kind = i.kind AND h.key = i.key AND h.intent_grant = i.intent_grant AND h.intent_attempt = $3
		LIMIT 1
	) h
), decided AS (
	UPDATE requests r
	SET state = 2, granted = $6::bytea, since = now(), expire_at = now() + $7::bigint * interval '1 microsecond', xid = pg_current_xact_id()
	WHERE r.vshard = $1::smallint AND r.id = $2::uuid AND r.attempt = $3::uuid AND r.state = 1 AND ` + isolated + `
		AND (SELECT count(v.owned) = count(*) FROM unnest($26::smallint[]) AS i (vshard) ` + ownedNow + `)
		AND EXISTS (SELECT FROM accounts a WHERE a.vshard = $1 AND a.owner = $4::text AND a.version = $5::bigint AND a.pending_request IS NULL)
		AND (SELECT n FROM intents) = cardinality($11)
		AND ($24::smallint IS NULL OR EXISTS (SELECT FROM requests p WHERE p.vshard = $24 AND p.id = $25::uuid AND p.state = 2))
		AND ($27::smallint IS NULL OR EXISTS (SELECT FROM requests p WHERE p.vshard = $27 AND p.id = $2 AND p.attempt = $3 AND p.decided_in = $1))
	RETURNING r.since
), account AS (
	UPDATE accounts a
	SET version = a.version + 1, xid = pg_current_xact_id(), former = $8::text[],
		renames = a.renames + $9::boolean::integer, renamed_at = CASE WHEN $9 THEN now() ELSE a.renamed_at END,
		pending_request = CASE WHEN $10::bytea IS NOT NULL THEN $2 END, pending_acts = $10
	WHERE a.vshard = $1 AND a.owner = $4 AND EXISTS (SELECT FROM decided)
), vacated AS (
	DELETE FROM slots s USING unnest($15::smallint[], $16::smallint[]) AS i (kind, slot)
	WHERE s.vshard = $1 AND s.owner = $4 AND s.kind = i.kind AND s.slot = i.slot AND EXISTS (SELECT FROM decided)
), taken AS (
	INSERT INTO slots AS s (vshard, owner, kind, slot, key, canonical, display, grant_id, since)
	SELECT $1, $4, i.kind, i.slot, i.key, nullif(i.canonical, ''), nullif(i.display, ''), i.grant_id, coalesce(i.since, now())
	FROM unnest($17::smallint[], $18::smallint[], $19::text[], $20::text[], $21::text[], $22::uuid[], $23::timestamptz[])
		AS i (kind, slot, key, canonical, display, grant_id, since)
	WHERE EXISTS (SELECT FROM decided)
	ORDER BY i.kind, i.slot
	ON CONFLICT (vshard, owner, kind, slot) DO UPDATE SET
		key = excluded.key, canonical = excluded.canonical, display = excluded.display,
		grant_id = excluded.grant_id, since = excluded.since, xid = pg_current_xact_id()
)
SELECT since, since + $7 * interval '1 microsecond' FROM decided`

// decided is what became of the commit point.
type decided struct {
	done            bool
	since, expireAt time.Time
}

// decideHere are the statements of the commit point when the rest of the saga is
// in the same transaction.
func (g *saga) decideHere(result *decided) ([]statement, error) {
	here := here{takes: g.takes, reservation: g.reservation, owned: g.vshards()}
	if g.pointed() {
		here.pointer = &g.change.Request.Vshard
	}
	return g.decide(here, nil, result)
}

// decideAlone are those when only the commit point is: what is left to do is stored.
func (g *saga) decideAlone(left []byte, result *decided) ([]statement, error) {
	return g.decide(here{owned: []storage.Vshard{g.decidedIn()}}, left, result)
}

// here is what the commit point finds in its own database.
type here struct {
	takes       []take
	reservation *storage.RequestKey
	owned       []storage.Vshard
	pointer     *storage.Vshard // the vshard of the request's own record
}

func (h here) columns() []any {
	reservation, pointer := []any{nil, nil}, pgtype.Int2{}
	if key := h.reservation; key != nil {
		reservation = []any{int16(key.Vshard), uuid(key.ID)}
	}
	if h.pointer != nil {
		pointer = pgtype.Int2{Int16: int16(*h.pointer), Valid: true}
	}
	return append(reservation, smallints(h.owned), pointer)
}

// decide opens and locks the account, and decides.
func (g *saga) decide(here here, left []byte, result *decided) ([]statement, error) {
	granted, err := g.outcome()
	if err != nil {
		return nil, err
	}
	args := append(g.key().columns(), g.change.Owner, g.version, granted, g.protection.Microseconds(), g.former, g.counts, left)
	args = append(args, intentColumnsOf(here.takes)...)
	args = append(args, g.vacatedColumns()...)
	args = append(args, g.takenColumns()...)
	args = append(args, here.columns()...)
	scan := func(rows pgx.Rows) error {
		*result = decided{} // an earlier run may have been rolled back
		var since, expireAt pgtype.Timestamptz
		_, err := pgx.ForEachRow(rows, []any{&since, &expireAt}, func() error {
			*result = decided{true, instant(since), instant(expireAt)}
			return nil
		})
		return err
	}
	return []statement{
		{openAccountSQL, append(g.key().columns(), g.change.Owner), drain},
		{lockAccountSQL, []any{int16(g.decidedIn()), g.change.Owner}, drain},
		{decideSQL, args, scan},
	}, nil
}

func intentColumnsOf(takes []take) []any {
	p, grants := newPlaces(len(takes)), make([]pgtype.UUID, len(takes))
	for i, t := range takes {
		p.add(t.id)
		grants[i] = uuid(t.grant)
	}
	return []any{p.vshards, p.kinds, p.keys, grants}
}

// vacatedColumns are the slots that are left and not taken again.
func (g *saga) vacatedColumns() []any {
	kinds, numbers := []int16{}, []int16{}
	for _, l := range g.leaves {
		if l.vacates {
			kinds, numbers = append(kinds, int16(l.slot.id.Kind())), append(numbers, l.slot.number)
		}
	}
	return []any{kinds, numbers}
}

// takenColumns are the slots that get a new identifier, or another spelling of theirs.
func (g *saga) takenColumns() []any {
	var kinds, numbers []int16
	var keys, canonicals, displays []string
	var grants []pgtype.UUID
	var since []pgtype.Timestamptz
	add := func(s slot) {
		kinds, numbers = append(kinds, int16(s.id.Kind())), append(numbers, s.number)
		keys, canonicals, displays = append(keys, s.id.Key()), append(canonicals, s.id.Canonical()), append(displays, s.id.Display())
		grants, since = append(grants, uuid(s.grant)), append(since, nullable(s.since))
	}
	for _, t := range g.takes {
		add(slot{number: t.slot, id: t.id, grant: t.grant})
	}
	if g.respelled != nil {
		add(*g.respelled)
	}
	return []any{kinds, numbers, keys, canonicals, displays, grants, since}
}
