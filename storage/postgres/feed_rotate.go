package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// feedSpan is the age of the oldest row at which the feed's table is put aside: a
// shorter one makes more tables for those who look into the past, a longer one
// keeps what is too old for longer.
const feedSpan = "1 hour"

// pastSuffix is what follows the table's name when it is put aside: when that was,
// in UTC. All that is in it is older.
const (
	pastSuffix    = "_20060102150405"
	pastSuffixSQL = `to_char(now() AT TIME ZONE 'UTC', '"_"YYYYMMDDHH24MISS')`
)

// isFeedDue says whether the oldest transaction of the table is of that age.
const isFeedDue = `coalesce((SELECT f.at <= now() - interval '` + feedSpan + `' FROM feed f ORDER BY f.xid LIMIT 1), false)`

// rotateSQL puts the table of the feed aside, in one transaction, as one message:
// nobody waits for this client. It waits 20 ms at most for its lock, as all writers
// and readers queue up behind it. Only under the lock nothing in the table is still
// to become visible, so the snapshot of the note must be newer than it is.
func rotateSQL(due string) string {
	return strings.Join([]string{
		readCommitted,
		`SELECT set_config('lock_timeout', '20ms', true), set_config('statement_timeout', '1s', true)`,
		fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, partitionLock),
		`LOCK TABLE feed IN ACCESS EXCLUSIVE MODE`,
		`DO $$ DECLARE
	put text := 'feed' || ` + pastSuffixSQL + `;
BEGIN
	IF ` + due + ` THEN
		UPDATE identity i SET feed_past = n.xid, feed_past_at = n.at FROM (SELECT xid, at FROM feed ORDER BY xid DESC LIMIT 1) n WHERE n.xid > i.feed_past;
		EXECUTE format('ALTER TABLE feed RENAME TO %I', put);
		EXECUTE format('CREATE TABLE feed (LIKE %I INCLUDING ALL)', put);
		EXECUTE format('ALTER TABLE %I INHERIT feed_past', put);
	END IF;
END $$`,
	}, ";")
}

// rotateFeed puts the table of the feed aside when its time has come. An open
// transaction that has written to it keeps it until the next time.
func (d *database) rotateFeed(ctx context.Context) error {
	var due bool
	if err := d.pool.QueryRow(ctx, `SELECT `+isFeedDue).Scan(&due); err != nil || !due {
		return err
	}
	return d.alter(ctx, rotateSQL(isFeedDue))
}

// alterTries is how often a table in use is tried, with pauses in which the writers go on.
const alterTries = 5

// alter changes a table by one message. What another replica has done is no error.
func (d *database) alter(ctx context.Context, sql string) error {
	for n := 1; ; n++ {
		_, err := d.pool.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
		switch state := sqlState(err); {
		case state == undefinedTable:
			return nil
		case state != lockNotAvailable || n == alterTries:
			return err
		}
		if err := pause(ctx, partitionPause); err != nil {
			return err
		}
	}
}

// undefinedTable is the SQLSTATE for a table that is not there.
const undefinedTable = "42P01"
