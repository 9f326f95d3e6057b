package postgres

import (
	"slices"
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
	// won is what the request has won, or with a win may win; the zero Identifier only asks.
	won   identifier.Identifier
	grant storage.Grant
	// all is what the request has won, where it asked for several.
	all []storage.Holding
	// since and expireAt are known of what was won in another transaction; they
	// are zero beside a win.
	since, expireAt time.Time
}

// hasWon says that there is an outcome to record, and not only to ask for.
func (r record) hasWon() bool { return !r.since.IsZero() }

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
WITH ` + knownTag + `, seen AS MATERIALIZED (
	SELECT i.*, ` + stateNow + ` AS state
	FROM unnest($2::smallint[], $3::uuid[], $4::bytea[], $5::bytea[], $6::bytea[], $7::timestamptz[], $8::timestamptz[], $9::bigint[])
		WITH ORDINALITY AS i (vshard, id, its_arguments, its_key_id, its_granted, its_since, its_expire_at, epoch, n)
	` + vshardNow + `
), added AS (
	INSERT INTO requests (vshard, id, state, arguments, key_id, granted, since, expire_at)
	SELECT vshard, id, 2, its_arguments, its_key_id, its_granted, its_since, its_expire_at
	FROM seen
	WHERE state = 'OWNED' AND its_since IS NOT NULL AND ` + isolated + `
	ORDER BY vshard, id
	ON CONFLICT DO NOTHING
	RETURNING vshard, id
)
SELECT s.n, ` + isKnown + `, s.state, a.id IS NOT NULL, r.arguments, r.key_id, r.granted, r.since, r.expire_at
FROM seen s LEFT JOIN added a USING (vshard, id)
LEFT JOIN LATERAL (SELECT * FROM requests q WHERE a.id IS NULL AND q.vshard = s.vshard AND q.id = s.id LIMIT 1) r ON true`

// recordBatch is one run of recordSQL for several callers.
type recordBatch struct {
	records []record // one for each request
	nth     []turn   // of each caller
	columns []any
	rows    []recordResult
	known   bool // the ownership that the batch relied on was still so
}

func newRecordBatch(batch []record, known *ownership) (*recordBatch, error) {
	firsts, nth := distinct(batch, func(r record) storage.RequestKey { return r.key })
	for i, r := range batch {
		if f := &firsts[nth[i].row]; !f.hasWon() {
			*f = r
		}
	}
	columns, err := recordColumns(firsts, known)
	return &recordBatch{records: firsts, nth: nth, columns: columns, rows: make([]recordResult, len(firsts))}, err
}

func (b *recordBatch) statement() statement { return statement{recordSQL, b.columns, b.scan} }

// results are in the order of the callers.
func (b *recordBatch) results() []*recordResult {
	out := make([]*recordResult, len(b.nth))
	for i, turn := range b.nth {
		out[i] = &b.rows[turn.row]
	}
	return out
}

func (b *recordBatch) scan(rows pgx.Rows) error {
	var n int
	var row recordRow
	_, err := pgx.ForEachRow(rows, append([]any{&n, &b.known}, row.fields()...), func() (err error) {
		asked := b.records[n-1]
		b.rows[n-1], err = row.result(asked, asked.since, asked.expireAt)
		return err
	})
	return err
}

// recordRow is what a statement says of a record.
type recordRow struct {
	state                   string // of its vshard
	added                   bool
	arguments, keyID, names []byte
	since, expireAt         pgtype.Timestamptz
}

func (r *recordRow) fields() []any {
	return []any{&r.state, &r.added, &r.arguments, &r.keyID, &r.names, &r.since, &r.expireAt}
}

// result is that of a record which has won, since the given time, or only asks.
func (r *recordRow) result(asked record, since, expireAt time.Time) (recordResult, error) {
	onlyAsks := since.IsZero()
	readable := r.state == owned || r.state == frozen && onlyAsks
	switch {
	case !readable:
		return recordResult{verdict: astray}, nil
	case r.added:
		return recordResult{known: true, outcome: asked.outcome(since, expireAt)}, nil
	case r.arguments != nil:
		o, err := r.outcome()
		return recordResult{known: true, outcome: o}, err
	case onlyAsks:
		return recordResult{}, nil
	}
	return recordResult{verdict: again}, nil
}

// outcome is that of a record that was inserted.
func (r record) outcome(since, expireAt time.Time) outcome {
	if r.all != nil {
		return outcome{r.arguments, r.keyID, sameTimes(r.all, since, expireAt)}
	}
	return outcome{r.arguments, r.keyID, []storage.Holding{{
		Identifier: r.won, State: storage.Reserved, Grant: r.grant, Since: since, ExpireAt: expireAt,
	}}}
}

// outcome is that of a record that stood there.
func (r *recordRow) outcome() (o outcome, err error) {
	copy(o.arguments[:], r.arguments)
	copy(o.keyID[:], r.keyID)
	o.granted, err = decodeGranted(r.names, instant(r.since), instant(r.expireAt))
	return o, err
}

func recordColumns(records []record, known *ownership) ([]any, error) {
	n := len(records)
	outcomes := newOutcomes(n)
	since, expireAt, epochs := make([]pgtype.Timestamptz, n), make([]pgtype.Timestamptz, n), make([]int64, n)
	for i := range records {
		since[i], expireAt[i] = nullable(records[i].since), nullable(records[i].expireAt)
		epochs[i] = known.epoch[records[i].key.Vshard]
		if err := outcomes.set(i, &records[i]); err != nil {
			return nil, err
		}
	}
	return slices.Concat([]any{known.tag}, outcomes.all(), []any{since, expireAt, epochs}), nil
}

// outcomes are the columns of records but for their times.
type outcomes struct {
	vshards                    []int16
	ids                        pgtype.FlatArray[pgtype.UUID]
	arguments, keyIDs, granted pgtype.FlatArray[[]byte]
}

func newOutcomes(n int) outcomes {
	return outcomes{make([]int16, n), make([]pgtype.UUID, n), make([][]byte, n), make([][]byte, n), make([][]byte, n)}
}

func (o outcomes) all() []any { return []any{o.vshards, o.ids, o.arguments, o.keyIDs, o.granted} }

// set fills row i. A missing record is one of no vshard.
func (o outcomes) set(i int, r *record) (err error) {
	if r == nil {
		o.vshards[i] = -1
		return nil
	}
	o.vshards[i], o.ids[i], o.arguments[i], o.keyIDs[i] = int16(r.key.Vshard), uuid(r.key.ID), r.arguments[:], r.keyID[:]
	switch {
	case r.all != nil:
		o.granted[i], err = encodeAllGranted(r.all)
	case r.won != identifier.Identifier{}:
		o.granted[i], err = encodeGranted(r.won, r.grant)
	}
	return err
}

func nullable(t time.Time) pgtype.Timestamptz { return pgtype.Timestamptz{Time: t, Valid: !t.IsZero()} }
