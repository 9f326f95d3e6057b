package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
	"namegate/storage/identifier"
)

// intentTTL is for how long nobody else may give up a saga that is under way.
// Later anybody may, as whoever began it may be dead; that is safe at any time.
const intentTTL = 10 * time.Second

// recordOverdue says so of a decision's record, at the same age.
const recordOverdue = `coalesce(r.created_at <= now() - interval '10 seconds', false)`

// take is an identifier that a saga wants for its account.
type take struct {
	id    identifier.Identifier
	grant storage.Grant // of the intent
	// holder is the request whose reservation may be taken, or zero.
	holder storage.RequestID
	slot   int16
}

// laid is what became of the intent for a take.
type laid struct {
	done  bool
	grant storage.Grant // of the intent that lies there: the attempt's first one
	// inTheWay is what was seen to stand there instead, with its intent, if it has one.
	inTheWay *storage.Holding
	intent   *intent
}

// intent is a saga's mark beside a holding.
type intent struct {
	id      identifier.Identifier
	grant   storage.Grant
	attempt attempt
	overdue bool // anybody may give the saga up
}

const intentColumns = `(x).intent_grant, (x).intent_request, (x).intent_vshard, (x).intent_attempt, coalesce((x).intent_until <= now(), false)`

// intentRow is what intentColumns select.
type intentRow struct {
	grant, request, attempt pgtype.UUID
	decidedIn               pgtype.Int2
	overdue                 bool
}

func (r *intentRow) fields() []any {
	return []any{&r.grant, &r.request, &r.decidedIn, &r.attempt, &r.overdue}
}

// intent is nil where there is none.
func (r *intentRow) intent(id identifier.Identifier) *intent {
	if !r.grant.Valid {
		return nil
	}
	by := attempt{storage.Vshard(r.decidedIn.Int16), r.request.Bytes, r.attempt.Bytes}
	return &intent{id, r.grant.Bytes, by, r.overdue}
}

// laySQL lays intents beside what may be taken: nothing, what ran out, what the
// reservation holds, what is protected for this account. It changes nothing else
// of a row, so that giving up restores it, and never replaces the intent of another
// attempt; an attempt's own keeps its grant. Where nothing stood, or what had run
// out, the name is held from here on, which the feed tells. In the deciding database
// ($4) it does so only for a saga that has begun.
const laySQL = `
WITH seen AS MATERIALIZED (
	SELECT i.*, v.epoch, coalesce(v.state = 'OWNED', false) AS owned, x.x
	FROM unnest($8::smallint[], $9::smallint[], $10::text[], $11::uuid[], $12::uuid[])
		WITH ORDINALITY AS i (vshard, kind, key, its_grant, its_holder, n)
	LEFT JOIN LATERAL (SELECT * FROM vshards o WHERE o.vshard = i.vshard LIMIT 1) v ON true
	LEFT JOIN LATERAL (
		SELECT x FROM holdings x WHERE x.vshard = i.vshard AND x.kind = i.kind AND x.key = i.key LIMIT 1
	) x ON true
), laid AS (
	INSERT INTO holdings AS h (vshard, kind, key, state, since, expire_at, grant_id, holder, owner,
		intent_grant, intent_request, intent_vshard, intent_attempt, intent_until)
	SELECT vshard, kind, key, 1, now(), now(), its_grant, nullif(its_holder, '00000000-0000-0000-0000-000000000000'), $5,
		its_grant, $2, $1, $3, now() + $6 * interval '1 microsecond'
	FROM seen
	WHERE owned AND coalesce((x).state <> 2 AND NOT (x).blocked, true) AND ` + isolated + ` AND (NOT $4 OR EXISTS (` + stillBegun + `))
	ORDER BY vshard, kind, key
	ON CONFLICT (vshard, kind, key) DO UPDATE SET
		intent_grant = coalesce(h.intent_grant, excluded.intent_grant), intent_request = excluded.intent_request,
		intent_vshard = excluded.intent_vshard, intent_attempt = excluded.intent_attempt, intent_until = excluded.intent_until,
		version = DEFAULT
	WHERE NOT h.blocked
		AND (h.intent_grant IS NULL OR h.intent_request = excluded.intent_request AND h.intent_attempt = excluded.intent_attempt)
		AND (h.state IN (1, 3) AND h.expire_at <= now() OR h.state = 1 AND h.holder = excluded.holder OR h.state = 3 AND h.owner = excluded.owner)
	RETURNING h.vshard, h.kind, h.key, h.intent_grant AS laid_grant, h.expire_at <= now() AS over, h.xmax = 0 AS fresh
), fed AS (
	INSERT INTO feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
	SELECT 'INTENT', array_agg(s.epoch), array_agg(vshard), array_agg(kind), array_agg(l.fresh::int::smallint), array_agg(1::smallint),
		array_agg(key), array_agg($7::text)
	FROM laid l JOIN seen s USING (vshard, kind, key) WHERE l.over
	HAVING count(*) > 0
)
SELECT n, laid_grant, coalesce(NOT (x).blocked AND (x).intent_grant IS NULL
		AND ((x).state IN (1, 3) AND (x).expire_at <= now() OR (x).state = 1 AND (x).holder = its_holder OR (x).state = 3 AND (x).owner = $5), false),
	` + heldColumns + `, ` + intentColumns + `
FROM seen LEFT JOIN laid USING (vshard, kind, key)`

// lay is the statement that lays the intents for takes; here says that this is the
// deciding database. results are in the order of takes.
func (g *saga) lay(takes []take, here bool, results []laid) statement {
	n := len(takes)
	p, grants, holders := newPlaces(n), make([]pgtype.UUID, n), make([]pgtype.UUID, n)
	for i, t := range takes {
		p.add(t.id)
		grants[i], holders[i] = uuid(t.grant), uuid(t.holder)
	}
	args := append(g.key().columns(), here, g.change.Owner, intentTTL.Microseconds(), g.change.Actor, p.vshards, p.kinds, p.keys, grants, holders)
	return statement{laySQL, args, func(rows pgx.Rows) error { return scanLaid(rows, takes, results) }}
}

func scanLaid(rows pgx.Rows, takes []take, results []laid) error {
	var n int
	var takeable bool // what was seen cannot be what is in the way
	var grant pgtype.UUID
	var row heldRow
	var mark intentRow
	into := append(append([]any{&n, &grant, &takeable}, row.fields()...), mark.fields()...)
	_, err := pgx.ForEachRow(rows, into, func() error {
		id, r := takes[n-1].id, &results[n-1]
		switch {
		case grant.Valid:
			*r = laid{done: true, grant: grant.Bytes}
		case row.state.Valid && !takeable:
			held := row.holding(id)
			*r = laid{inTheWay: &held, intent: mark.intent(id)}
		default:
			*r = laid{}
		}
		return nil
	})
	return err
}
