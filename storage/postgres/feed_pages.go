package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"namegate/storage/feed"
)

// A poll of many rows, or of what is in the past, is one statement as well, whose
// cursor gives them page by page: it keeps the one snapshot that it was opened with.
// Locking the tables first keeps all of them. No parallel workers are started, which
// a plan for tables of any size might want.
const (
	feedLimits      = readLimits + `, set_config('max_parallel_workers_per_gather', '0', true)`
	feedPagesLimits = feedLimits + `, set_config('statement_timeout', '1min', true),
		set_config('idle_in_transaction_session_timeout', '10s', true)`
	lockFeed      = `LOCK TABLE feed, feed_past IN ACCESS SHARE MODE`
	openFeedPages = `DECLARE feed_pages NO SCROLL CURSOR FOR ` + feedPagesSQL
)

// feedPacked is a row f as readers get it.
const feedPacked = `coalesce(f.packed, feed_pack(f.id, f.xid, f.at, f.cause, f.epochs, f.vshards, f.kinds, f.changes, f.states, f.keys, f.actors))`

// feedPagesSQL gives the head of the feed, what the database owns, and the rows that
// a position does not include. What is above the position's xmax and what was
// running below it are found by index each.
const feedPagesSQL = `
SELECT head, packed FROM (
	SELECT NULL::bigint AS id, ` + feedHeadBegin + `coalesce((SELECT ` + feedMark + ` FROM feed f WHERE f.xid = $1 LIMIT 1),
			(SELECT ` + feedMark + ` FROM feed_past f WHERE f.xid = $1 LIMIT 1), ` + noMark + `)` + feedHeadEnd + `
		|| feed_owned($4, i.vshards_tag) AS head, NULL::bytea AS packed FROM identity i
	UNION ALL (SELECT f.id, NULL, ` + feedPacked + ` FROM feed f WHERE f.xid >= $2)
	UNION ALL (SELECT f.id, NULL, ` + feedPacked + ` FROM feed f WHERE f.xid = ANY ($3))
	UNION ALL (SELECT f.id, NULL, ` + feedPacked + ` FROM feed_past f WHERE f.xid >= $2)
	UNION ALL (SELECT f.id, NULL, ` + feedPacked + ` FROM feed_past f WHERE f.xid = ANY ($3))
) p ORDER BY id NULLS FIRST`

var fetchFeedPage = fmt.Sprintf(`FETCH %d FROM feed_pages`, feedPageRows)

// pageTimeout is that of one page, longer than the server's own limit. The first
// one takes the time of sorting all.
const pageTimeout = 65 * time.Second

// pollPages polls what may be too much for memory. Whoever applies a page for
// longer than 10 s is cut off, as the transaction keeps others from trimming.
func (r feedReader) pollPages(ctx context.Context, from feed.Position, known pgtype.UUID, apply func([]feed.Event) error) (feed.Whole, error) {
	p := &feedPages{feedReader: r, from: from, apply: apply}
	if err := p.open(ctx, known); err != nil {
		return feed.Whole{}, outage(ctx, err)
	}
	defer p.close(ctx)
	for more := true; more; {
		page, err := p.next(ctx)
		if err != nil {
			return feed.Whole{}, outage(ctx, err)
		}
		if err := p.give(page); err != nil {
			return feed.Whole{}, err
		}
		more = page.rows > 0
	}
	return feed.Whole{Poll: p.first.head.poll(from, p.newest, p.sent), Owned: p.first.owned}, nil
}

// feedPages is one poll in pages.
type feedPages struct {
	feedReader
	from   feed.Position
	apply  func([]feed.Event) error
	conn   *pgxpool.Conn
	tx     pgx.Tx
	sent   time.Time
	first  *feedPage // the page with the head
	newest feed.Mark
}

// open opens the cursor.
func (p *feedPages) open(ctx context.Context, known pgtype.UUID) (err error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	if p.conn, err = p.pool.Acquire(ctx); err != nil {
		return err
	}
	p.sent = p.clock()
	p.tx, err = p.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadOnly})
	if err == nil {
		_, err = p.tx.Exec(ctx, feedPagesLimits)
	}
	if err == nil {
		_, err = p.tx.Exec(ctx, lockFeed)
	}
	if err == nil {
		_, err = p.tx.Exec(ctx, openFeedPages, p.from.Newest().Xid, p.from.Xmax, p.from.Running, known)
	}
	if err != nil {
		p.conn.Release() // with an open transaction it is closed
	}
	return err
}

// close ends the transaction, which has written nothing.
func (p *feedPages) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	_ = p.tx.Rollback(ctx)
	p.conn.Release()
}

func (p *feedPages) next(ctx context.Context) (page feedPage, err error) {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	var head, packed []byte
	rows, _ := p.tx.Query(ctx, fetchFeedPage) // ForEachRow finds the error
	_, err = pgx.ForEachRow(rows, []any{&head, &packed}, func() error {
		if head != nil {
			return page.readFirst(p.feedReader, head)
		}
		return page.parse(&parser{rest: packed})
	})
	if err == nil && p.first == nil && page.head == nil {
		err = errHead
	}
	return page, err
}

// readFirst reads the row with the head, and what is owned.
func (p *feedPage) readFirst(r feedReader, b []byte) (err error) {
	rest := &parser{rest: b}
	p.head = new(feedHead)
	if err := r.usable(p.head, rest); err != nil {
		return err
	}
	if err := p.head.parseEnd(rest); err != nil {
		return err
	}
	p.owned, err = parseOwned(rest)
	return err
}

// give hands a page on. The first one says whether there may be any.
func (p *feedPages) give(page feedPage) error {
	if p.first == nil {
		p.first = &feedPage{head: page.head, owned: page.owned}
		if err := page.head.check(p.from); err != nil {
			return err
		}
	}
	p.newest = newer(p.newest, page.newest)
	if len(page.events) == 0 {
		return nil
	}
	return p.apply(page.events)
}
