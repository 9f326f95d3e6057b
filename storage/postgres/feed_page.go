package postgres

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
)

// feedPageRows is how many rows of the feed are in memory at a time; each has at
// most some thousand changes.
const feedPageRows = 512

// feedLimits keep a poll from starting parallel workers, which a plan for
// partitions of any size might want.
const feedLimits = readLimits + `, set_config('max_parallel_workers_per_gather', '0', true)`

// feedPollSQL gives the head of the feed, and the rows that a position does not
// include: at most $4 of each sort, or with null all of them. What is above the
// position's xmax and what was running below it are found by index each.
const feedPollSQL = `
SELECT * FROM (
	SELECT NULL::bigint AS id, json_build_object(` + feedHeadFields + `, 'witnessed', EXISTS (SELECT FROM feed WHERE xid = $1)) AS head,
		NULL::xid8 AS xid, NULL::timestamptz AS at, NULL::text AS cause, NULL::bigint[] AS epochs,
		NULL::smallint[] AS vshards, NULL::smallint[] AS kinds, NULL::smallint[] AS changes, NULL::smallint[] AS states,
		NULL::text[] AS keys, NULL::text[] AS actors
	FROM ` + feedHeadTables + `
	UNION ALL
	(SELECT id, NULL, xid, at, cause, epochs, vshards, kinds, changes, states, keys, actors FROM feed WHERE xid >= $2 LIMIT $4)
	UNION ALL
	(SELECT id, NULL, xid, at, cause, epochs, vshards, kinds, changes, states, keys, actors FROM feed WHERE xid = ANY ($3) LIMIT $4)
) p ORDER BY id NULLS FIRST`

// feedArguments are those of feedPollSQL; without a limit all rows are wanted.
func feedArguments(from feed.Position, limit pgtype.Int8) []any {
	return []any{from.Newest(), from.Xmax, from.Running, limit}
}

// feedPage is what has been read of a poll.
type feedPage struct {
	head   *feedHead
	newest uint64 // the highest xid among the rows
	rows   int
	events []feed.Event
}

// feedRow is a row as it comes from feedPollSQL: the head, or a row of the table.
type feedRow struct {
	id      pgtype.Int8
	head    *feedHead
	xid     pgtype.Uint64
	at      pgtype.Timestamptz
	cause   pgtype.Text
	epochs  []int64
	vshards []int16
	kinds   []int16
	changes []int16
	states  []int16
	keys    []string
	actors  []string
}

func (r *feedRow) fields() []any {
	return []any{&r.id, &r.head, &r.xid, &r.at, &r.cause, &r.epochs, &r.vshards, &r.kinds, &r.changes, &r.states, &r.keys, &r.actors}
}

func (p *feedPage) scan(rows pgx.Rows) error {
	var r feedRow
	_, err := pgx.ForEachRow(rows, r.fields(), func() error {
		if r.head != nil {
			p.head = r.head
			return p.head.complete()
		}
		p.rows++
		p.newest = max(p.newest, r.xid.Uint64)
		return p.add(&r)
	})
	return err
}

// scanFirst scans the first page, which has the head.
func (p *feedPage) scanFirst(rows pgx.Rows) error {
	err := p.scan(rows)
	if err == nil && p.head == nil {
		err = errors.New("table identity or feed_trimmed has lost its row")
	}
	return err
}

// add adds the changes of a row.
func (p *feedPage) add(r *feedRow) error {
	for _, n := range []int{len(r.epochs), len(r.vshards), len(r.kinds), len(r.changes), len(r.states), len(r.actors)} {
		if n != len(r.keys) {
			return fmt.Errorf("row %d of the feed has arrays of different lengths", r.id.Int64)
		}
	}
	for i, key := range r.keys {
		p.events = append(p.events, feed.Event{
			ID: r.id.Int64, Ordinal: i, Epoch: r.epochs[i], Vshard: storage.Vshard(r.vshards[i]), Kind: identifier.Kind(r.kinds[i]),
			Change: feed.Change(r.changes[i]), State: storage.State(r.states[i]), Key: key, Cause: r.cause.String, Actor: r.actors[i],
			At: instant(r.at),
		})
	}
	return nil
}
