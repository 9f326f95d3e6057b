package postgres

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
	"namegate/storage/identifier"
)

// record asks for the outcome of a request and, where there is none yet, makes
// what the request has won the outcome.
type record struct {
	key       storage.RequestKey
	arguments [32]byte
	keyID     storage.KeyID
	// won is what the request may have won; the zero Identifier only asks.
	won   identifier.Identifier
	grant storage.Grant
	// since and expireAt are known of what was won in another transaction. They
	// are zero in the transaction of the win itself: there it counts as won, and
	// has its times, when the row has the grant.
	since, expireAt time.Time
}

// weight orders the records of one request in a batch: what has won before what
// may have won, before what only asks.
func (r record) weight() int {
	switch {
	case !r.since.IsZero():
		return 2
	case r.won != identifier.Identifier{}:
		return 1
	}
	return 0
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

// recordSQL inserts outcomes where none stands and says which one does; it looks
// only for those that it did not insert. One that another inserts in the same
// instant yields neither: ask again.
const recordSQL = `
WITH seen AS MATERIALIZED (
	SELECT i.n, i.vshard, i.id, i.its_arguments, i.its_key_id, i.its_granted, coalesce(v.state, '') AS state,
		coalesce(i.its_since, x.since) AS its_since, coalesce(i.its_expire_at, x.expire_at) AS its_expire_at
	FROM unnest($1::smallint[], $2::uuid[], $3::bytea[], $4::bytea[], $5::bytea[], $6::timestamptz[], $7::timestamptz[],
		$8::smallint[], $9::smallint[], $10::text[], $11::uuid[])
		WITH ORDINALITY AS i (vshard, id, its_arguments, its_key_id, its_granted, its_since, its_expire_at,
			won_vshard, won_kind, won_key, won_grant, n)
	LEFT JOIN LATERAL (SELECT * FROM vshards o WHERE o.vshard = i.vshard LIMIT 1) v ON true
	LEFT JOIN LATERAL (
		SELECT * FROM holdings h
		WHERE i.its_since IS NULL AND h.vshard = i.won_vshard AND h.kind = i.won_kind AND h.key = i.won_key AND h.grant_id = i.won_grant
		LIMIT 1
	) x ON true
), added AS (
	INSERT INTO requests (vshard, id, state, arguments, key_id, granted, since, expire_at)
	SELECT vshard, id, 2, its_arguments, its_key_id, its_granted, its_since, its_expire_at
	FROM seen
	WHERE state = 'OWNED' AND its_since IS NOT NULL AND ` + isolated + `
	ORDER BY vshard, id
	ON CONFLICT DO NOTHING
	RETURNING vshard, id
)
SELECT s.n, s.state, a.id IS NOT NULL, s.its_since, s.its_expire_at, r.arguments, r.key_id, r.granted, r.since, r.expire_at
FROM seen s LEFT JOIN added a USING (vshard, id)
LEFT JOIN LATERAL (SELECT * FROM requests q WHERE a.id IS NULL AND q.vshard = s.vshard AND q.id = s.id LIMIT 1) r ON true`

// recordBatch is one run of recordSQL for several callers.
type recordBatch struct {
	records []record // one for each request
	nth     []turn   // of each caller
	columns []any
	rows    []recordResult
}

func newRecordBatch(batch []record) (*recordBatch, error) {
	firsts, nth := distinct(batch, func(r record) storage.RequestKey { return r.key })
	for i, r := range batch {
		if f := &firsts[nth[i].row]; r.weight() > f.weight() {
			*f = r
		}
	}
	columns, err := recordColumns(firsts)
	return &recordBatch{firsts, nth, columns, make([]recordResult, len(firsts))}, err
}

func (b *recordBatch) statement() statement { return statement{recordSQL, b.columns, b.scan} }

// results are in the order of the callers.
func (b *recordBatch) results() []recordResult {
	out := make([]recordResult, len(b.nth))
	for i, turn := range b.nth {
		out[i] = b.rows[turn.row]
	}
	return out
}

func (b *recordBatch) scan(rows pgx.Rows) error {
	var row recordRow
	_, err := pgx.ForEachRow(rows, row.fields(), func() (err error) {
		b.rows[row.n-1], err = row.result(b.records[row.n-1])
		return err
	})
	return err
}

// recordRow is a row of recordSQL's result.
type recordRow struct {
	n                       int
	state                   string
	added                   bool
	wonSince, wonExpireAt   pgtype.Timestamptz
	arguments, keyID, names []byte
	since, expireAt         pgtype.Timestamptz
}

func (r *recordRow) fields() []any {
	return []any{&r.n, &r.state, &r.added, &r.wonSince, &r.wonExpireAt, &r.arguments, &r.keyID, &r.names, &r.since, &r.expireAt}
}

func (r *recordRow) result(asked record) (recordResult, error) {
	onlyAsks := !r.wonSince.Valid
	readable := r.state == owned || r.state == frozen && onlyAsks
	switch {
	case !readable:
		return recordResult{verdict: astray}, nil
	case r.added:
		return recordResult{known: true, outcome: asked.outcome(r.wonSince, r.wonExpireAt)}, nil
	case r.arguments != nil:
		o, err := r.outcome()
		return recordResult{known: true, outcome: o}, err
	case onlyAsks:
		return recordResult{}, nil
	}
	return recordResult{verdict: again}, nil
}

// outcome is that of a record that was inserted.
func (r record) outcome(since, expireAt pgtype.Timestamptz) outcome {
	return outcome{r.arguments, r.keyID, []storage.Holding{{
		Identifier: r.won, State: storage.Reserved, Grant: r.grant, Since: instant(since), ExpireAt: instant(expireAt),
	}}}
}

// outcome is that of a record that stood there.
func (r *recordRow) outcome() (o outcome, err error) {
	copy(o.arguments[:], r.arguments)
	copy(o.keyID[:], r.keyID)
	o.granted, err = decodeGranted(r.names, instant(r.since), instant(r.expireAt))
	return o, err
}

func recordColumns(records []record) ([]any, error) {
	n := len(records)
	vshards, ids, grants := make([]int16, n), make([]pgtype.UUID, n), make([]pgtype.UUID, n)
	arguments, keyIDs, granted := make([][]byte, n), make([][]byte, n), make([][]byte, n)
	since, expireAt := make([]pgtype.Timestamptz, n), make([]pgtype.Timestamptz, n)
	var won places
	for i := range records {
		r := &records[i]
		vshards[i], ids[i], grants[i] = int16(r.key.Vshard), uuid(r.key.ID), uuid(r.grant)
		arguments[i], keyIDs[i] = r.arguments[:], r.keyID[:]
		since[i], expireAt[i] = nullable(r.since), nullable(r.expireAt)
		won.add(r.won)
		if r.weight() == 0 {
			continue
		}
		var err error
		if granted[i], err = encodeGranted(r.won, r.grant); err != nil {
			return nil, err
		}
	}
	return []any{vshards, ids, arguments, keyIDs, granted, since, expireAt, won.vshards, won.kinds, won.keys, grants}, nil
}

func nullable(t time.Time) pgtype.Timestamptz { return pgtype.Timestamptz{Time: t, Valid: !t.IsZero()} }
