package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// feedAge is how long the feed is kept: a reader that has been away for longer
// begins anew.
const feedAge = 24 * time.Hour

// trimming is a table whose parts go when all that is in them is too old. A part's
// name is a prefix and a time, which says when it ends.
type trimming struct {
	table  string
	prefix string
	layout string // of the time in the name
	end    func(time.Time) time.Time
	before time.Time
}

// trimPartitions puts the feed's table aside when its time has come, and drops what
// was put aside before feedAge, and the partitions of the audit that are older than
// the given age, and deletes such rows from its default one. A part that somebody
// uses for longer is left to the next time.
func (d *database) trimPartitions(ctx context.Context, auditAge time.Duration) error {
	var now time.Time
	if err := d.pool.QueryRow(ctx, `SELECT now()`).Scan(&now); err != nil {
		return err
	}
	var errs []error
	if err := d.rotateFeed(ctx); err != nil {
		errs = append(errs, fmt.Errorf("put the feed aside: %w", err))
	}
	put := trimming{
		table: feedTable, prefix: "feed", layout: pastSuffix, before: now.Add(-feedAge),
		end: func(t time.Time) time.Time { return t },
	}
	if err := d.dropPartitions(ctx, put); err != nil {
		errs = append(errs, fmt.Errorf("trim the feed: %w", err))
	}
	for _, p := range partitionedTables {
		t := trimming{table: p.table, prefix: p.table, layout: partitionSuffix, end: p.end, before: now.Add(-auditAge)}
		if err := errors.Join(d.dropPartitions(ctx, t), d.deleteFromDefault(ctx, t)); err != nil {
			errs = append(errs, fmt.Errorf("trim %s: %w", p.table, err))
		}
	}
	return errors.Join(errs...)
}

// feedTable is the table whose readers must be told what was trimmed.
const feedTable = "feed_past"

// note is the statement that writes down, in the transaction that trims, how far
// that goes: the highest xid among the rows that go. It is empty where nobody asks.
func (t trimming) note(part string) string {
	if t.table != feedTable {
		return `SELECT`
	}
	return `UPDATE identity i SET feed_trimmed = n.xid, feed_trimmed_at = n.at
		FROM (SELECT xid, at FROM ` + part + ` ORDER BY xid DESC LIMIT 1) n WHERE n.xid > i.feed_trimmed`
}

func (d *database) dropPartitions(ctx context.Context, t trimming) error {
	rows, _ := d.pool.Query(ctx, `SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
		WHERE i.inhparent = to_regclass($1) ORDER BY c.relname`, t.table)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		at, err := time.Parse(t.layout, strings.TrimPrefix(name, t.prefix))
		if err != nil || t.end(at).After(t.before) { // the default one has no time
			continue
		}
		if err := d.alter(ctx, t.dropSQL(name)); err != nil {
			return err
		}
	}
	return nil
}

// partitionSuffix is what follows the table's name in that of a partition: when it begins.
const partitionSuffix = "_2006010215"

// dropSQL drops a part in one transaction, as one message: nobody waits for this
// client. It takes the table's lock before the part's, as readers and writers do, and
// waits 20 ms at most for each, as they queue up behind it. Only under both locks no
// change in the part is still to become visible, so the snapshot of the note must be
// newer than they are.
func (t trimming) dropSQL(part string) string {
	return strings.Join([]string{
		readCommitted,
		`SELECT set_config('lock_timeout', '20ms', true), set_config('statement_timeout', '1s', true)`,
		fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, partitionLock),
		`LOCK TABLE ONLY ` + t.table + ` IN ACCESS EXCLUSIVE MODE`,
		`LOCK TABLE ` + part + ` IN ACCESS EXCLUSIVE MODE`,
		t.note(part),
		`DROP TABLE ` + part,
	}, ";")
}

// deletePiece is how many rows one statement deletes from a default partition.
const deletePiece = 2000

// deleteSQL deletes rows older than $1 from the default partition and gives their
// number. Only what is visible is deleted.
func (t trimming) deleteSQL() string {
	return fmt.Sprintf(`
WITH gone AS (
	DELETE FROM %[1]s_default WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM %[1]s_default WHERE at < $1 LIMIT %[2]d FOR UPDATE SKIP LOCKED
	)) RETURNING 1
)
SELECT count(*) FROM gone`, t.table, deletePiece)
}

func (d *database) deleteFromDefault(ctx context.Context, t trimming) error {
	for {
		var deleted int
		var b pgx.Batch
		b.Queue(begin)
		b.Queue(`SELECT set_config('lock_timeout', '500ms', true), set_config('statement_timeout', '10s', true)`)
		b.Queue(t.deleteSQL(), t.before).QueryRow(func(row pgx.Row) error { return row.Scan(&deleted) })
		b.Queue(commit)
		if err := d.send(ctx, &b); err != nil {
			return err
		}
		if deleted < deletePiece {
			return nil
		}
	}
}
