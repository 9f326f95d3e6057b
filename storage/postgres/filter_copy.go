package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
)

// copyTimeout is how long a copy may take: a billion rows at a few hundred thousand
// a second. While it lasts, no dead row of the server is cleaned away.
const copyTimeout = time.Hour

// A copy is one transaction of one snapshot, that of its first query. What that
// query reads of the feed is locked before, as a table might else be put aside or
// dropped in between, and set free after it, as the copy needs it no more: undoing
// the savepoint ends the locks, and leaves the snapshot.
const (
	copyLimits = `SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = '2s';
		SAVEPOINT head; LOCK TABLE feed IN ACCESS SHARE MODE`
	copyHeadSQL = `SELECT head, (SELECT array_agg(v.epoch ORDER BY i.n)
		FROM unnest($1::smallint[]) WITH ORDINALITY AS i (vshard, n) LEFT JOIN vshards v ON v.vshard = i.vshard AND v.state = 'OWNED')
		FROM (` + feedHeadSQL + `) h (head)`
)

// errSnapshot says that each statement of a copy would have its own snapshot.
var errSnapshot = errors.New("isolation level is not REPEATABLE READ")

// copyRowsLimits has the server end what takes too long, and start no parallel workers.
var copyRowsLimits = fmt.Sprintf(`ROLLBACK TO head; SET LOCAL statement_timeout = %d;
	SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off`, copyTimeout.Milliseconds())

// copyRowsSQL cannot have parameters.
func copyRowsSQL(kind identifier.Kind, vshards []storage.Vshard) string {
	list := make([]string, len(vshards))
	for i, v := range vshards {
		list[i] = strconv.Itoa(int(v))
	}
	return fmt.Sprintf(`COPY (SELECT vshard, state, key FROM holdings WHERE kind = %d AND vshard = ANY ('{%s}')) TO STDOUT (FORMAT binary)`,
		kind, strings.Join(list, ","))
}

// Copy copies the rows of a kind in some vshards.
func (r feedReader) Copy(ctx context.Context, kind identifier.Kind, vshards []storage.Vshard, page func([]feed.Row) error) (feed.Copied, error) {
	rows := &copyRows{page: page}
	copied, err := r.copy(ctx, kind, vshards, rows)
	var refused *feed.NotOwnedError
	switch {
	case rows.refused != nil:
		return feed.Copied{}, rows.refused
	case errors.As(err, &refused):
		return feed.Copied{}, err
	case err != nil:
		return feed.Copied{}, outage(ctx, err)
	}
	copied.Rows = rows.count
	return copied, nil
}

func (r feedReader) copy(ctx context.Context, kind identifier.Kind, vshards []storage.Vshard, rows *copyRows) (copied feed.Copied, err error) {
	ctx, cancel := context.WithTimeout(ctx, copyTimeout)
	defer cancel()
	err = r.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
			if copied, err = r.copyHead(ctx, tx, vshards); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, copyRowsLimits, pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
			if _, err := tx.Conn().PgConn().CopyTo(ctx, rows, copyRowsSQL(kind, vshards)); err != nil {
				return err
			}
			return rows.end()
		})
	})
	return copied, err
}

// copyHead takes the snapshot: where the feed goes on, and what is owned.
func (r feedReader) copyHead(ctx context.Context, tx pgx.Tx, vshards []storage.Vshard) (copied feed.Copied, err error) {
	if _, err := tx.Exec(ctx, copyLimits, pgx.QueryExecModeSimpleProtocol); err != nil {
		return copied, err
	}
	var head []byte
	var epochs []*int64
	if err := tx.QueryRow(ctx, copyHeadSQL, smallints(vshards)).Scan(&head, &epochs); err != nil {
		return copied, err
	}
	h := new(feedHead)
	rest := &parser{rest: head}
	if err := r.usable(h, rest); !errors.Is(err, errIsolation) {
		return copied, cmp.Or(err, errSnapshot)
	}
	if err := h.parseEnd(rest); err != nil {
		return copied, err
	}
	for i, epoch := range epochs {
		if epoch == nil {
			return copied, &feed.NotOwnedError{Vshard: vshards[i]}
		}
		copied.Epochs = append(copied.Epochs, *epoch)
	}
	copied.Position = h.snapshot.At(h.newest())
	return copied, nil
}
