package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
	"namegate/storage/identifier"
)

// release frees one tenure of an identifier; a later one is left alone.
type release struct {
	id    identifier.Identifier
	grant storage.Grant
	state storage.State // that it must still be in
	cause string
	actor string
}

type releaseResult struct {
	verdict verdict
	freed   bool
	holding storage.Holding // what had been held, when freed
}

// releaseSQL deletes by grant. A row with an intent is left alone; a blocked one stays,
// and nobody's. It locks the rows in the order of their key first, as DELETE itself
// knows no order.
const releaseSQL = `
WITH seen AS MATERIALIZED (
	SELECT i.*, v.epoch, coalesce(v.state = 'OWNED', false) AS owned
	FROM unnest($1::smallint[], $2::smallint[], $3::text[], $4::uuid[], $5::smallint[], $6::text[], $7::text[])
		WITH ORDINALITY AS i (vshard, kind, key, grant_id, state, cause, actor, n)
	LEFT JOIN LATERAL (SELECT * FROM vshards o WHERE o.vshard = i.vshard LIMIT 1) v ON true
), locked AS MATERIALIZED (
	SELECT s.*, h.at, h.x
	FROM (SELECT * FROM seen WHERE owned AND ` + isolated + ` ORDER BY vshard, kind, key) s
	CROSS JOIN LATERAL (
		SELECT h.ctid AS at, h AS x FROM holdings h
		WHERE h.vshard = s.vshard AND h.kind = s.kind AND h.key = s.key AND h.grant_id = s.grant_id
			AND h.state = s.state AND h.intent_grant IS NULL
		FOR UPDATE
	) h
), gone AS (
	DELETE FROM holdings h USING locked l
	WHERE h.ctid = ANY (ARRAY(SELECT at FROM locked WHERE NOT (x).blocked)) AND h.ctid = l.at
	RETURNING l.n, -1 AS change
), kept AS (
	UPDATE holdings h SET ` + keptSet + `
	FROM locked l
	WHERE h.ctid = ANY (ARRAY(SELECT at FROM locked WHERE (x).blocked)) AND h.ctid = l.at
	RETURNING l.n, 0 AS change
), freed AS MATERIALIZED (
	SELECT l.*, f.change FROM locked l JOIN (SELECT * FROM gone UNION ALL SELECT * FROM kept) f USING (n)
), fed AS (
	INSERT INTO feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
	SELECT cause, array_agg(epoch), array_agg(vshard), array_agg(kind), array_agg(change::smallint), array_agg(4::smallint),
		array_agg(key), array_agg(actor)
	FROM freed GROUP BY cause
), audited AS (
	INSERT INTO audit (grant_id, vshard, kind, state, cause, key, owner, actor)
	SELECT grant_id, vshard, kind, 4, cause, key, (x).owner, actor FROM freed WHERE state <> 1
)
SELECT s.n, s.owned, ` + heldColumns + `
FROM seen s LEFT JOIN freed f USING (n)`

// release frees the tenures of a batch.
func (d *database) release(ctx context.Context, batch []release) ([]releaseResult, error) {
	type tenure struct {
		place
		grant storage.Grant
	}
	firsts, nth := distinct(batch, func(r release) tenure { return tenure{placeOf(r.id), r.grant} })
	rows, err := d.deleteGrants(ctx, firsts)
	if err != nil {
		return nil, err
	}
	results := make([]releaseResult, len(batch))
	for i := range batch {
		if results[i] = rows[nth[i].row]; !nth[i].first {
			results[i].freed = false // it was freed once, for another caller
		}
	}
	return results, nil
}

func (d *database) deleteGrants(ctx context.Context, releases []release) ([]releaseResult, error) {
	results := make([]releaseResult, len(releases))
	scan := func(rows pgx.Rows) error {
		var n int
		var owned bool
		var row heldRow
		_, err := pgx.ForEachRow(rows, append([]any{&n, &owned}, row.fields()...), func() error {
			r := &results[n-1]
			switch {
			case !owned:
				r.verdict = astray
			case row.state.Valid:
				r.freed, r.holding = true, row.holding(releases[n-1].id)
				r.holding.State = storage.Released
			}
			return nil
		})
		return err
	}
	columns := releaseColumns(releases)
	return results, d.write(ctx, statement{lockSQL, columns[:3], drain}, statement{releaseSQL, columns, scan})
}

func releaseColumns(releases []release) []any {
	n := len(releases)
	p := newPlaces(n)
	grants, states := make([]pgtype.UUID, n), make([]int16, n)
	causes, actors := make([]string, n), make([]string, n)
	for i, r := range releases {
		p.add(r.id)
		grants[i], states[i], causes[i], actors[i] = uuid(r.grant), int16(r.state), r.cause, r.actor
	}
	return []any{p.vshards, p.kinds, p.keys, grants, states, causes, actors}
}
