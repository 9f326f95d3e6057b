package postgres

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage/feed"
)

// feedPollSQL is a poll in one statement, whose settings stand in the function: the state
// of the server with its length, then, unless it is the one that the reader knows, what
// feed_poll gives.
const feedPollSQL = `
SELECT CASE WHEN s.state = $5 THEN s.counted ELSE s.counted || feed_poll($1, $2, $3, $4) END
FROM (SELECT s.state, int4send(octet_length(s.state)) || s.state AS counted FROM (
	SELECT boolsend(` + isolated + `) || boolsend(pg_is_in_recovery()) || timestamptz_send(pg_postmaster_start_time())
		|| pg_snapshot_send(pg_current_snapshot())
		|| CASE WHEN NOT pg_is_in_recovery() THEN pg_lsn_send(pg_current_wal_flush_lsn()) ELSE '' END AS state OFFSET 0) s OFFSET 0) s`

// quiet is what a poll found: while the server is as it was then, another one from there
// would find the same, and reads no table.
//
// The server is said to be as it was by the snapshot and by how far the log is flushed.
// Whatever ends, ends a transaction, and a snapshot tells which have ended. A server that
// crashed may give xids of transactions that left nothing in the log to others, so that
// equal snapshots show different things, and not every crash begins a new postmaster. But
// no recovery ends before a checkpoint of it is flushed, behind all that ever was.
type quiet struct {
	state []byte // as feedPollSQL says it
	poll  feed.Poll
}

// still is the state in which there is nothing to be read from a position; nil when
// there is none.
func (q *quiet) still(from feed.Position, known pgtype.UUID) []byte {
	if q == nil || !q.poll.Position.Equal(from) || known.Valid && known.Bytes != q.poll.VshardsTag {
		return nil
	}
	return q.state
}

// again is the same poll, sent at another time.
func (q *quiet) again(sent time.Time) feed.Whole {
	p := q.poll
	p.Sent = sent
	return feed.Whole{Poll: p}
}
