package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage/identifier"
)

// leftSize is how many intents or accounts the sweeper reads at once.
const leftSize = 500

// leftIntentsSQL lists intents whose sagas anybody may bring to their end, and could
// for a time ($3).
const leftIntentsSQL = `
SELECT x.kind, x.key, x.intent_until, ` + intentColumns + `
FROM holdings x
CROSS JOIN LATERAL (SELECT FROM vshards o WHERE o.vshard = x.vshard AND o.state = 'OWNED' LIMIT 1) v
WHERE x.intent_grant IS NOT NULL AND x.intent_until > $1::timestamptz AND x.intent_until <= now() - $3::bigint * interval '1 microsecond'
ORDER BY x.intent_until LIMIT $2`

// settleIntents settles what dead replicas left beside holdings. One whose deciding
// database is away does not keep the others from their turn.
func (w *sweeper) settleIntents(ctx context.Context) (settled int, first error) {
	from := longAgo
	for {
		list, last, err := w.database.leftIntents(ctx, from, 0)
		if err != nil {
			return settled, err
		}
		for _, in := range list {
			done, err := w.settle(ctx, in)
			switch {
			case err != nil && first == nil:
				first = err
			case done && err == nil:
				settled++
			}
		}
		if len(list) < leftSize || ctx.Err() != nil {
			return settled, first
		}
		from = last
	}
}

// leftIntents lists intents whose time has been over for some time.
func (d *database) leftIntents(ctx context.Context, from pgtype.Timestamptz, over time.Duration) (list []intent, last pgtype.Timestamptz, err error) {
	var kind int16
	var key string
	var row intentRow
	err = d.look(ctx, func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, append([]any{&kind, &key, &last}, row.fields()...), func() error {
			list = append(list, *row.intent(identifier.Stored(identifier.Kind(kind), key, "", "")))
			return nil
		})
		return err
	}, leftIntentsSQL, from, leftSize, over.Microseconds())
	return list, last, err
}

// leftAccountsSQL lists accounts with a decision that nobody has carried out for a
// time ($3). Those that are decided just now are left to who did it.
const leftAccountsSQL = `
SELECT a.vshard, a.owner
FROM accounts a
CROSS JOIN LATERAL (SELECT FROM vshards o WHERE o.vshard = a.vshard AND o.state = 'OWNED' LIMIT 1) v
LEFT JOIN LATERAL (SELECT r.since FROM requests r WHERE r.vshard = a.vshard AND r.id = a.pending_request LIMIT 1) r ON true
WHERE a.pending_request IS NOT NULL AND (a.vshard, a.owner) > ($1::smallint, $2::text)
	AND coalesce(r.since <= now() - $3::bigint * interval '1 microsecond', true)
ORDER BY a.vshard, a.owner LIMIT $4`

// leftAccount is where the sweeper is among the accounts.
type leftAccount struct {
	Vshard int16
	Owner  string
}

// finishAccounts carries out what was decided by replicas that are dead.
func (w *sweeper) finishAccounts(ctx context.Context) (finished int, first error) {
	last := leftAccount{Vshard: -1}
	for {
		list, err := w.database.leftAccounts(ctx, last, intentTTL)
		if err != nil {
			return finished, err
		}
		for _, last = range list {
			switch err := w.finish(ctx, last.Owner); {
			case err == nil:
				finished++
			case first == nil:
				first = err
			}
		}
		if len(list) < leftSize || ctx.Err() != nil {
			return finished, first
		}
	}
}

// leftAccounts lists accounts with a decision of some age that is not carried out.
func (d *database) leftAccounts(ctx context.Context, after leftAccount, age time.Duration) (list []leftAccount, err error) {
	err = d.look(ctx, func(rows pgx.Rows) (err error) {
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[leftAccount])
		return err
	}, leftAccountsSQL, after.Vshard, after.Owner, age.Microseconds(), leftSize)
	return list, err
}

// look runs one read that is no part of a batch.
func (d *database) look(ctx context.Context, scan func(pgx.Rows) error, sql string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	return d.read(ctx, scan, sql, args...)
}
