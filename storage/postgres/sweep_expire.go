package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// sweepSize is how many rows a sweep takes away in one transaction: few enough to
// hold the fence for much less than 100 ms.
const sweepSize = 2000

// expireSQL deletes what ran out, without intent and not blocked, from a time on
// ($1): what is behind it was deleted by the batch before, and would be passed over
// once more. It waits for nobody: a row that somebody has locked is left out, and
// one that was taken over since the snapshot is judged as it is by then. Rows are
// found again by ctid, which the snapshot must see, so that no later version goes.
const expireSQL = `
WITH over AS MATERIALIZED (
	SELECT h.ctid AS at, h.expire_at, v.epoch
	FROM holdings h
	CROSS JOIN LATERAL (SELECT o.epoch FROM vshards o WHERE o.vshard = h.vshard AND o.state = 'OWNED' LIMIT 1) v
	WHERE h.expire_at BETWEEN $1::timestamptz AND now() AND h.intent_grant IS NULL AND h.state IN (1, 3) AND NOT h.blocked AND ` + isolated + `
	ORDER BY h.expire_at LIMIT $2
	FOR UPDATE OF h SKIP LOCKED
), gone AS (
	DELETE FROM holdings h WHERE h.ctid = ANY (ARRAY(SELECT at FROM over))
	RETURNING h.ctid AS at, h.vshard, h.kind, h.key, h.state, h.grant_id, h.owner
), known AS MATERIALIZED (
	SELECT gone.*, over.epoch FROM gone JOIN over USING (at)
), fed AS (
	INSERT INTO feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
	SELECT 'EXPIRE', array_agg(epoch), array_agg(vshard), array_agg(kind), array_agg(-1::smallint), array_agg(4::smallint),
		array_agg(key), array_agg('sweeper'::text)
	FROM known HAVING count(*) > 0
), audited AS (
	INSERT INTO audit (grant_id, vshard, kind, state, cause, key, owner, actor)
	SELECT grant_id, vshard, kind, 4, 'EXPIRE', key, owner, 'sweeper' FROM known WHERE state = 3
)
SELECT (SELECT count(*) FROM known), (SELECT count(*) FROM over), (SELECT max(expire_at) FROM over)`

// longAgo is before all times.
var longAgo = pgtype.Timestamptz{InfinityModifier: pgtype.NegativeInfinity, Valid: true}

// expire deletes what ran out, without a pause while there is much of it.
func (w *sweeper) expire(ctx context.Context) (total int, err error) {
	from := longAgo
	for {
		var gone, found int
		var last pgtype.Timestamptz
		err := w.sweep(ctx, statement{expireSQL, []any{from, sweepSize}, func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, []any{&gone, &found, &last}, func() error { return nil })
			return err
		}})
		if err != nil {
			return total, err
		}
		total += gone
		if found < sweepSize {
			return total, nil
		}
		from = last
	}
}

// sweep runs one statement under the fence. There is no other one in this database
// by the same replica, so that a sweep takes its turn with the reserves.
func (w *sweeper) sweep(ctx context.Context, s statement) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	return w.database.write(ctx, s)
}

// sweepTimeout is longer than the server's own limits, as for a batch.
const sweepTimeout = 3 * time.Second
