package postgres

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
)

// carrySQL carries out what was decided. Each act finds its row by the grant that
// the decision recorded: that of the intent where the row is taken, else that of the
// tenure. What is given up stays, and nobody's, where it is blocked. With a request ($2)
// it acts only if that attempt is decided, in this database.
// Times of the decision ($5, $6) are those of this transaction unless they are given.
const carrySQL = `
WITH seen AS MATERIALIZED (
	SELECT i.*, v.epoch
	FROM unnest($9::smallint[], $10::smallint[], $11::text[], $12::smallint[], $13::uuid[], $14::text[], $15::text[])
		AS i (vshard, kind, key, act, its_grant, its_canonical, its_display)
	JOIN LATERAL (SELECT * FROM vshards o WHERE o.vshard = i.vshard AND o.state = 'OWNED' LIMIT 1) v ON true
	WHERE ` + isolated + ` AND ($2::uuid IS NULL OR EXISTS (
		SELECT FROM requests r WHERE r.vshard = $1::smallint AND r.id = $2 AND r.attempt = $3::uuid AND r.state = 2
	))
), locked AS MATERIALIZED (
	SELECT s.*, h.at, h.blocked, h.owner
	FROM (SELECT * FROM seen ORDER BY vshard, kind, key) s
	CROSS JOIN LATERAL (
		SELECT h.ctid AS at, h.blocked, h.owner FROM holdings h
		WHERE h.vshard = s.vshard AND h.kind = s.kind AND h.key = s.key
			AND CASE s.act WHEN 1 THEN h.intent_grant = s.its_grant ELSE h.state = 2 AND h.grant_id = s.its_grant END
		FOR UPDATE
	) h
), changed AS (
	UPDATE holdings h SET
		state = CASE act WHEN 1 THEN 2 WHEN 2 THEN 3 WHEN 3 THEN 4 ELSE h.state END,
		owner = CASE act WHEN 1 THEN $4::text WHEN 3 THEN NULL ELSE h.owner END,
		since = CASE WHEN act = 4 THEN h.since ELSE coalesce($5::timestamptz, now()) END,
		expire_at = CASE act WHEN 2 THEN coalesce($6::timestamptz, now() + $16::bigint * interval '1 microsecond') END,
		grant_id = CASE act WHEN 1 THEN l.its_grant WHEN 3 THEN gen_random_uuid() ELSE h.grant_id END,
		canonical = CASE WHEN act IN (1, 4) THEN nullif(l.its_canonical, '') ELSE h.canonical END,
		display = CASE WHEN act IN (1, 4) THEN nullif(l.its_display, '') ELSE h.display END,
		holder = NULL, intent_grant = NULL, intent_request = NULL, intent_vshard = NULL, intent_attempt = NULL, intent_until = NULL,
		version = DEFAULT
	FROM locked l
	WHERE h.ctid = ANY (ARRAY(SELECT at FROM locked)) AND h.ctid = l.at AND (act <> 3 OR l.blocked)
	RETURNING h.vshard, h.kind, h.key, h.state, l.its_grant AS grant_id, coalesce(h.owner, l.owner) AS owner, l.epoch, 0 AS change
), gone AS (
	DELETE FROM holdings h USING locked l
	WHERE h.ctid = ANY (ARRAY(SELECT at FROM locked)) AND h.ctid = l.at AND act = 3 AND NOT l.blocked
	RETURNING h.vshard, h.kind, h.key, 4::smallint AS state, h.grant_id, h.owner, l.epoch, -1 AS change
), all_of_it AS MATERIALIZED (
	SELECT * FROM changed UNION ALL SELECT * FROM gone
), fed AS (
	INSERT INTO feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
	SELECT $7::text, array_agg(epoch), array_agg(vshard), array_agg(kind), array_agg(change::smallint), array_agg(state),
		array_agg(key), array_agg($8::text)
	FROM all_of_it HAVING count(*) > 0
)
INSERT INTO audit (grant_id, vshard, kind, state, cause, key, owner, actor)
SELECT grant_id, vshard, kind, state, $7, key, owner, $8 FROM all_of_it`

// carry are the statements that do acts of a decided saga in one database. What
// guards it, if not nil, is the saga that the same transaction may have decided.
func (p *pending) carry(owner string, acts []act, guard *saga) []statement {
	n := len(acts)
	places, kinds, grants := newPlaces(n), make([]int16, n), make([]pgtype.UUID, n)
	canonicals, displays := make([]string, n), make([]string, n)
	for i, a := range acts {
		places.add(a.id)
		kinds[i], grants[i], canonicals[i], displays[i] = int16(a.kind), uuid(a.grant), a.id.Canonical(), a.id.Display()
	}
	key, protection := []any{nil, nil, nil}, time.Duration(0)
	if guard != nil {
		key, protection = guard.key().columns(), guard.protection
	}
	args := append(key, owner, nullable(p.since), nullable(p.expireAt), p.cause, p.actor,
		places.vshards, places.kinds, places.keys, kinds, grants, canonicals, displays, protection.Microseconds())
	return []statement{places.lock(), {carrySQL, args, drain}}
}

// clearSQL notes that nothing of a decision is left to do.
const clearSQL = `
UPDATE accounts a SET pending_request = NULL, pending_acts = NULL, xid = pg_current_xact_id()
FROM vshards v
WHERE a.vshard = $1::smallint AND a.owner = $2::text AND a.pending_request = $3::uuid AND a.pending_acts = $4::bytea
	AND v.vshard = a.vshard AND v.state = 'OWNED' AND ` + isolated

// clear is the statement that notes that nothing is left to do.
func (p *pending) clear(owner string) statement {
	return statement{clearSQL, []any{int16(storage.VshardOfOwner(owner)), owner, uuid(p.request), p.stored}, drain}
}
