package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
)

// record asks for the outcome of a request and, where there is none yet, makes
// granted the outcome. With nothing granted it only asks.
type record struct {
	key       storage.RequestKey
	arguments [32]byte
	keyID     storage.KeyID
	granted   []storage.Holding
}

type recordResult struct {
	verdict verdict
	known   bool // there is an outcome, the caller's or another
	outcome outcome
}

// outcome is what stands in a request's record.
type outcome struct {
	arguments [32]byte
	keyID     storage.KeyID
	granted   []storage.Holding
}

// recordSQL inserts outcomes where none stands and says which one does. One that
// another inserts in the same instant yields neither: ask again.
const recordSQL = `
WITH seen AS MATERIALIZED (
	SELECT i.n, i.vshard, i.id, i.its_arguments, i.its_key_id, i.its_granted,
		coalesce(v.state, '') AS state, r.arguments, r.key_id, r.granted
	FROM unnest($1::smallint[], $2::uuid[], $3::bytea[], $4::bytea[], $5::bytea[])
		WITH ORDINALITY AS i (vshard, id, its_arguments, its_key_id, its_granted, n)
	LEFT JOIN LATERAL (SELECT * FROM vshards o WHERE o.vshard = i.vshard LIMIT 1) v ON true
	LEFT JOIN LATERAL (SELECT * FROM requests q WHERE q.vshard = i.vshard AND q.id = i.id LIMIT 1) r ON true
), added AS (
	INSERT INTO requests (vshard, id, state, arguments, key_id, granted)
	SELECT vshard, id, 2, its_arguments, its_key_id, its_granted
	FROM seen
	WHERE state = 'OWNED' AND arguments IS NULL AND its_granted IS NOT NULL AND ` + isolated + `
	ORDER BY vshard, id
	ON CONFLICT DO NOTHING
	RETURNING vshard, id
)
SELECT s.n, s.state, a.id IS NOT NULL, s.its_granted IS NULL, s.arguments, s.key_id, s.granted
FROM seen s LEFT JOIN added a USING (vshard, id)`

// record finds or makes the outcomes of a batch of requests.
func (d *database) record(ctx context.Context, batch []record) ([]recordResult, error) {
	firsts, nth := distinct(batch, func(r record) storage.RequestKey { return r.key })
	for i, r := range batch { // one that has an outcome to offer goes before those that only ask
		if f := &firsts[nth[i].row]; f.granted == nil && r.granted != nil {
			*f = r
		}
	}
	rows, err := d.putRecords(ctx, firsts)
	if err != nil {
		return nil, err
	}
	results := make([]recordResult, len(batch))
	for i := range batch {
		results[i] = rows[nth[i].row]
	}
	return results, nil
}

func (d *database) putRecords(ctx context.Context, records []record) ([]recordResult, error) {
	columns, err := recordColumns(records)
	if err != nil {
		return nil, err
	}
	results := make([]recordResult, len(records))
	err = d.write(ctx, func(rows pgx.Rows) error {
		var row recordRow
		_, err := pgx.ForEachRow(rows, row.fields(), func() (err error) {
			results[row.n-1], err = row.result(records[row.n-1])
			return err
		})
		return err
	}, recordSQL, columns...)
	return results, err
}

// recordRow is a row of recordSQL's result.
type recordRow struct {
	n                int
	state            string
	added, onlyAsked bool
	arguments, keyID []byte
	granted          []byte
}

func (r *recordRow) fields() []any {
	return []any{&r.n, &r.state, &r.added, &r.onlyAsked, &r.arguments, &r.keyID, &r.granted}
}

func (r *recordRow) result(asked record) (recordResult, error) {
	readable := r.state == owned || r.state == frozen && r.onlyAsked
	switch {
	case !readable:
		return recordResult{verdict: astray}, nil
	case r.added:
		return recordResult{known: true, outcome: outcome{asked.arguments, asked.keyID, asked.granted}}, nil
	case r.arguments != nil:
		o, err := r.outcome()
		return recordResult{known: true, outcome: o}, err
	case r.onlyAsked:
		return recordResult{}, nil
	}
	return recordResult{verdict: again}, nil
}

func (r *recordRow) outcome() (o outcome, err error) {
	copy(o.arguments[:], r.arguments)
	copy(o.keyID[:], r.keyID)
	o.granted, err = decodeGranted(r.granted)
	return o, err
}

func recordColumns(records []record) ([]any, error) {
	n := len(records)
	vshards, ids := make([]int16, n), make([]pgtype.UUID, n)
	arguments, keyIDs, granted := make([][]byte, n), make([][]byte, n), make([][]byte, n)
	for i := range records {
		r := &records[i]
		vshards[i], ids[i] = int16(r.key.Vshard), uuid(r.key.ID)
		arguments[i], keyIDs[i] = r.arguments[:], r.keyID[:]
		var err error
		if granted[i], err = encodeGranted(r.granted); err != nil {
			return nil, err
		}
	}
	return []any{vshards, ids, arguments, keyIDs, granted}, nil
}
