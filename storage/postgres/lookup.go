package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
	"namegate/storage/identifier"
)

type lookup struct {
	id identifier.Identifier
}

type lookupResult struct {
	verdict  verdict
	standing storage.Standing
}

// A read counts only where the vshard is owned or, during the switch of a move,
// frozen: a database that has lost it may hold anything.
const lookupSQL = `
SELECT i.n, coalesce(v.state IN ('OWNED', 'FROZEN'), false), now(), coalesce(v.epoch, 0), coalesce(x.version, 0), ` + held + `, ` + heldColumns + `
FROM unnest($1::smallint[], $2::smallint[], $3::text[]) WITH ORDINALITY AS i (vshard, kind, key, n)
LEFT JOIN LATERAL (SELECT * FROM vshards o WHERE o.vshard = i.vshard LIMIT 1) v ON true
LEFT JOIN LATERAL (
	SELECT * FROM holdings h WHERE h.vshard = i.vshard AND h.kind = i.kind AND h.key = i.key LIMIT 1
) x ON true`

// lookup reads who holds each identifier of a batch, in one snapshot.
func (d *database) lookup(ctx context.Context, batch []lookup) ([]lookupResult, error) {
	results := make([]lookupResult, len(batch))
	s := lookupStatement(batch, results)
	return results, d.read(ctx, s.scan, s.sql, s.args...)
}

// lookupStatement is the statement that reads them. results are in the order of the batch.
func lookupStatement(batch []lookup, results []lookupResult) statement {
	p := newPlaces(len(batch))
	for _, l := range batch {
		p.add(l.id)
	}
	return statement{lookupSQL, []any{p.vshards, p.kinds, p.keys}, func(rows pgx.Rows) error {
		var n int
		var ours, held bool
		var asOf pgtype.Timestamptz
		var version storage.Version
		var row heldRow
		into := append([]any{&n, &ours, &asOf, &version.Epoch, &version.ID, &held}, row.fields()...)
		_, err := pgx.ForEachRow(rows, into, func() error {
			r := &results[n-1]
			*r = lookupResult{} // an earlier run may have been rolled back
			if !ours {
				r.verdict = astray
				return nil
			}
			r.standing.AsOf, r.standing.Version = instant(asOf), version
			if held {
				h := row.holding(batch[n-1].id)
				r.standing.Held = &h
			}
			return nil
		})
		return err
	}}
}

// Lookup reads the owning database.
func (s *Store) Lookup(ctx context.Context, id identifier.Identifier) (storage.Standing, error) {
	r, err := onOwner(ctx, s, storage.VshardOf(id), func(d *database) (lookupResult, verdict, error) {
		r, err := d.lookups.do(ctx, lookup{id})
		return r, r.verdict, err
	})
	return r.standing, err
}
