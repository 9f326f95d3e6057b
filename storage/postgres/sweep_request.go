package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Requests are read from end to end, a piece at a time: an index by age would cost
// each reserve more than this costs, which is to read the table once in a while.
const (
	// trimPages is how much of the table one statement reads. A page has some 30
	// records, so it deletes about as many rows as a sweep.
	trimPages = 64
	// trimPieces is how many pieces a round reads that hold nothing to delete.
	trimPieces = 16
	// trimInterval is the time from the beginning of one pass to that of the next.
	trimInterval = time.Hour
)

// trimPosition is where a pass through the requests is.
type trimPosition struct {
	page int64
	due  time.Time // of the next pass, by the replica's clock
}

// trimRequestsSQL deletes records older than a time, in some pages ($1, $2). The
// record of a decision that is not carried out stays. What is not decided at that
// age never will be: to delete it is to give it up.
const trimRequestsSQL = `
WITH old AS MATERIALIZED (
	SELECT r.ctid AS at
	FROM requests r
	CROSS JOIN LATERAL (SELECT FROM vshards o WHERE o.vshard = r.vshard AND o.state = 'OWNED' LIMIT 1) v
	LEFT JOIN LATERAL (
		SELECT true AS pending FROM accounts a WHERE a.vshard = r.vshard AND a.owner = r.owner AND a.pending_request = r.id LIMIT 1
	) a ON true
	WHERE r.ctid >= format('(%s,0)', $1::bigint)::tid AND r.ctid < format('(%s,0)', $2::bigint)::tid
		AND r.created_at < now() - $3::bigint * interval '1 microsecond' AND a.pending IS NULL AND ` + isolated + `
	FOR UPDATE OF r SKIP LOCKED
), gone AS (
	DELETE FROM requests r WHERE r.ctid = ANY (ARRAY(SELECT at FROM old)) RETURNING 1
)
SELECT (SELECT count(*) FROM gone), pg_relation_size('requests') / current_setting('block_size')::bigint`

// trimRequests goes on with the pass through the requests, without a pause while
// there is much to delete.
func (w *sweeper) trimRequests(ctx context.Context) (total int, err error) {
	if time.Now().Before(w.trimmed.due) {
		return 0, nil
	}
	for idle := 0; idle < trimPieces; {
		gone, pages, err := w.trimPiece(ctx)
		if err != nil {
			return total, err
		}
		total += gone
		if gone == 0 {
			idle++
		}
		if w.trimmed.page += trimPages; w.trimmed.page >= pages {
			w.trimmed = trimPosition{due: time.Now().Add(trimInterval)}
			return total, nil
		}
	}
	return total, nil
}

func (w *sweeper) trimPiece(ctx context.Context) (gone int, pages int64, err error) {
	args := []any{w.trimmed.page, w.trimmed.page + trimPages, w.options.Retention.Microseconds()}
	err = w.sweep(ctx, statement{trimRequestsSQL, args, func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&gone, &pages}, func() error { return nil })
		return err
	}})
	return gone, pages, err
}
