package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// fenceLock is the key of the advisory lock that every write of a database
// shares and every change of its vshards takes alone: "namegate" in ASCII.
// Advisory locks belong to one database, so two on one server do not meet.
const fenceLock int64 = 0x6e616d6567617465

// The head of every write. READ COMMITTED, whatever the database's default, so
// that the statement after the lock has a snapshot newer than the lock; the
// statement itself tests it once more and fails closed (isolated). All settings
// end with the transaction, as a pooler may give the connection to another client.
const (
	begin         = `BEGIN ISOLATION LEVEL READ COMMITTED`
	commit        = `COMMIT`
	readCommitted = `SET TRANSACTION ISOLATION LEVEL READ COMMITTED`
	writeLimits   = `SELECT set_config('lock_timeout', '500ms', true), set_config('statement_timeout', '2s', true),
		set_config('idle_in_transaction_session_timeout', '1s', true), ` + planner
	shareFence = `SELECT pg_advisory_xact_lock_shared($1)`
	isolated   = `current_setting('transaction_isolation') = 'read committed'`
)

// The head of every read.
const readLimits = `SELECT set_config('statement_timeout', '2s', true), ` + planner

// planner makes the one plan that is right for every size of table and batch:
// rows of tables by index, once for each row of the batch (a LATERAL join leaves
// nothing else), and the parts of a statement joined by hash. A plan kept from
// when a table was empty, or for a longer list, would be a thousand times slower;
// planning each batch anew costs more than executing a small one.
const planner = `set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true),
		set_config('enable_bitmapscan', 'off', true), set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true)`

// fenceError says that a statement failed before it was past the fence.
type fenceError struct{ err error }

func (e *fenceError) Error() string { return "pass the fence: " + e.err.Error() }
func (e *fenceError) Unwrap() error { return e.err }

// statement is a part of a write, with what reads its rows.
type statement struct {
	sql  string
	args []any
	scan func(pgx.Rows) error
}

// write runs statements under the fence: one pipeline, one transaction. What they
// have read counts only when write returns nil, as rows come before the commit.
func (d *database) write(ctx context.Context, statements ...statement) error {
	var b pgx.Batch
	b.Queue(begin)
	b.Queue(writeLimits)
	passed := false
	b.Queue(shareFence, fenceLock).Exec(func(pgconn.CommandTag) error { passed = true; return nil })
	for _, s := range statements {
		b.Queue(s.sql, s.args...).Query(s.scan)
	}
	b.Queue(commit)
	err := d.send(ctx, &b)
	if err != nil && !passed {
		return &fenceError{err}
	}
	return err
}

// send sends a pipeline that is one transaction, from begin to commit. Where it
// failed the connection is made fit for others, as the pool would else close it.
func (d *database) send(ctx context.Context, b *pgx.Batch) error {
	return d.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		err := conn.SendBatch(ctx, b).Close()
		if conn.Conn().PgConn().TxStatus() == 'E' {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_, _ = conn.Exec(ctx, `ROLLBACK`) // else it is closed
		}
		return err
	})
}

// read runs one statement without the fence.
func (d *database) read(ctx context.Context, scan func(pgx.Rows) error, sql string, args ...any) error {
	var b pgx.Batch
	b.Queue(readLimits)
	b.Queue(sql, args...).Query(scan)
	return d.pool.SendBatch(ctx, &b).Close()
}

// scanOne reads one value, zero where there is no row, whatever an earlier run of the
// statement has read.
func scanOne[T any](into *T) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		*into = *new(T)
		_, err := pgx.ForEachRow(rows, []any{into}, func() error { return nil })
		return err
	}
}

// drain reads a result without rows.
func drain(rows pgx.Rows) error {
	rows.Close()
	return rows.Err()
}
