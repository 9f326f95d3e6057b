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

// trimming is a table with the time before which its rows are too old.
type trimming struct {
	partitioned
	before time.Time
}

// trimPartitions drops the partitions of the feed that are older than feedAge, and
// those of the audit that are older than the given age, and deletes such rows from
// the default ones. A partition that somebody uses for longer is left to the next
// time: an open transaction that has written to a table keeps all its partitions.
func (d *database) trimPartitions(ctx context.Context, auditAge time.Duration) error {
	var now time.Time
	if err := d.pool.QueryRow(ctx, `SELECT now()`).Scan(&now); err != nil {
		return err
	}
	var errs []error
	for _, p := range partitionedTables {
		t := trimming{p, now.Add(-auditAge)}
		if p.table == feedTable {
			t.before = now.Add(-feedAge)
		}
		if err := errors.Join(d.dropPartitions(ctx, t), d.deleteFromDefault(ctx, t)); err != nil {
			errs = append(errs, fmt.Errorf("trim %s: %w", p.table, err))
		}
	}
	return errors.Join(errs...)
}

// feedTable is the table whose readers must be told what was trimmed.
const feedTable = "feed"

// note is the statement that writes down, in the transaction that trims, how far
// that goes: the highest xid among the rows that go. It is empty where nobody asks.
func (t trimming) note(rows string) string {
	if t.table != feedTable {
		return `SELECT`
	}
	return `UPDATE feed_trimmed t SET xid = n.xid
		FROM (SELECT xid FROM ` + rows + ` ORDER BY xid DESC LIMIT 1) n WHERE n.xid > t.xid`
}

func (d *database) dropPartitions(ctx context.Context, t trimming) error {
	rows, _ := d.pool.Query(ctx, `SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
		WHERE i.inhparent = to_regclass($1) ORDER BY c.relname`, t.table)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		start, err := time.Parse(partitionSuffix, strings.TrimPrefix(name, t.table))
		if err != nil || t.end(start).After(t.before) { // the default one has no time
			continue
		}
		if err := d.dropPartition(ctx, t.dropSQL(name)); err != nil {
			return err
		}
	}
	return nil
}

// partitionSuffix is what follows the table's name in that of a partition: when it begins.
const partitionSuffix = "_2006010215"

// dropSQL drops a partition in one transaction, as one message: nobody waits for
// this client. It takes the table's lock before the partition's, as readers and
// writers do, and waits 20 ms at most for each, as all writers queue up behind it.
// Only under both locks no change in the partition is still to become visible, so
// the snapshot of the note must be newer than they are.
func (t trimming) dropSQL(partition string) string {
	return strings.Join([]string{
		readCommitted,
		`SELECT set_config('lock_timeout', '20ms', true), set_config('statement_timeout', '1s', true)`,
		fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, partitionLock),
		`LOCK TABLE ONLY ` + t.table + ` IN ACCESS EXCLUSIVE MODE`,
		`LOCK TABLE ` + partition + ` IN ACCESS EXCLUSIVE MODE`,
		t.note(partition),
		`DROP TABLE ` + partition,
	}, ";")
}

// dropTries is how often a partition in use is tried, with pauses in which the
// writers go on.
const dropTries = 5

func (d *database) dropPartition(ctx context.Context, sql string) error {
	for n := 1; ; n++ {
		_, err := d.pool.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
		switch state := sqlState(err); {
		case state == undefinedTable: // another replica has dropped it
			return nil
		case state != lockNotAvailable || n == dropTries:
			return err
		}
		if err := pause(ctx, partitionPause); err != nil {
			return err
		}
	}
}

// undefinedTable is the SQLSTATE for a table that is not there.
const undefinedTable = "42P01"

// deletePiece is how many rows one statement deletes from a default partition.
const deletePiece = 2000

// deleteSQL deletes rows older than $1 from the default partition and gives their
// number. Only what is visible is deleted.
func (t trimming) deleteSQL() string {
	return fmt.Sprintf(`
WITH gone AS (
	DELETE FROM %[1]s_default WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM %[1]s_default WHERE at < $1 LIMIT %[2]d FOR UPDATE SKIP LOCKED
	)) RETURNING *
), noted AS (%[3]s)
SELECT count(*) FROM gone`, t.table, deletePiece, t.note("gone"))
}

func (d *database) deleteFromDefault(ctx context.Context, t trimming) error {
	for {
		var deleted int
		var b pgx.Batch
		b.Queue(readCommitted)
		b.Queue(`SELECT set_config('lock_timeout', '500ms', true), set_config('statement_timeout', '10s', true)`)
		b.Queue(t.deleteSQL(), t.before).QueryRow(func(row pgx.Row) error { return row.Scan(&deleted) })
		if err := d.pool.SendBatch(ctx, &b).Close(); err != nil {
			return err
		}
		if deleted < deletePiece {
			return nil
		}
	}
}
