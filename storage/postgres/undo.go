package postgres

// undoSQL takes intents away by their grants and leaves the rest of a row as it
// was; a row that was only made for the intent goes. With a request ($2) it does so
// only if that attempt is not decided, in this database.
const undoSQL = `
WITH seen AS MATERIALIZED (
	SELECT i.*, v.epoch
	FROM unnest($5::smallint[], $6::smallint[], $7::text[], $8::uuid[]) AS i (vshard, kind, key, its_grant)
	JOIN LATERAL (SELECT * FROM vshards o WHERE o.vshard = i.vshard AND o.state = 'OWNED' LIMIT 1) v ON true
	WHERE ` + isolated + ` AND ($2::uuid IS NULL OR NOT EXISTS (
		SELECT FROM requests r WHERE r.vshard = $1::smallint AND r.id = $2 AND r.attempt = $3::uuid AND r.state = 2
	))
), locked AS MATERIALIZED (
	SELECT s.*, h.made, h.at
	FROM (SELECT * FROM seen ORDER BY vshard, kind, key) s
	CROSS JOIN LATERAL (
		SELECT h.state = 1 AND h.grant_id = h.intent_grant AS made, h.ctid AS at FROM holdings h
		WHERE h.vshard = s.vshard AND h.kind = s.kind AND h.key = s.key
			AND h.intent_grant IS NOT DISTINCT FROM s.its_grant -- with = the index of intents would be read
		FOR UPDATE
	) h
), cleared AS (
	UPDATE holdings h
	SET intent_grant = NULL, intent_request = NULL, intent_vshard = NULL, intent_attempt = NULL, intent_until = NULL,
		version = DEFAULT
	FROM locked l
	WHERE h.ctid = ANY (ARRAY(SELECT at FROM locked)) AND h.ctid = l.at AND NOT l.made
	RETURNING h.vshard, h.kind, h.key, h.state, l.epoch, 0 AS change
), gone AS (
	DELETE FROM holdings h USING locked l
	WHERE h.ctid = ANY (ARRAY(SELECT at FROM locked)) AND h.ctid = l.at AND l.made
	RETURNING h.vshard, h.kind, h.key, 4::smallint AS state, l.epoch, -1 AS change
)
INSERT INTO feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
SELECT 'UNDO', array_agg(epoch), array_agg(vshard), array_agg(kind), array_agg(change::smallint), array_agg(state),
	array_agg(key), array_agg($4::text)
FROM (SELECT * FROM cleared UNION ALL SELECT * FROM gone) u HAVING count(*) > 0`

// undo are the statements that take the intents for takes away. What guards it, if
// not nil, is the saga that the same transaction may have decided.
func undo(takes []take, actor string, guard *saga) []statement {
	key := []any{nil, nil, nil}
	if guard != nil {
		key = guard.key().columns()
	}
	intents := intentColumnsOf(takes)
	return []statement{{lockSQL, intents[:3], drain}, {undoSQL, append(append(key, actor), intents...), drain}}
}
