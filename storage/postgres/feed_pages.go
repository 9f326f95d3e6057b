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

// A poll of many rows is one statement as well, whose cursor gives them page by
// page: it keeps the one snapshot that it was opened with. Locking the table first
// keeps all its partitions.
const (
	feedPagesLimits = feedLimits + `, set_config('statement_timeout', '1min', true),
		set_config('idle_in_transaction_session_timeout', '10s', true)`
	lockFeed      = `LOCK TABLE feed IN ACCESS SHARE MODE`
	openFeedPages = `DECLARE feed_pages NO SCROLL CURSOR FOR ` + feedPollSQL
)

var fetchFeedPage = fmt.Sprintf(`FETCH %d FROM feed_pages`, feedPageRows)

// pageTimeout is that of one page, longer than the server's own limit. The first
// one takes the time of sorting all.
const pageTimeout = 65 * time.Second

// pollPages polls what may be too much for memory. Whoever applies a page for
// longer than 10 s is cut off, as the transaction keeps others from trimming.
func (r feedReader) pollPages(ctx context.Context, from feed.Position, apply func([]feed.Event) error) (feed.Poll, error) {
	p := &feedPages{from: from, apply: apply}
	if err := p.open(ctx, r); err != nil {
		return feed.Poll{}, outage(ctx, err)
	}
	defer p.close(ctx)
	for more := true; more; {
		page, err := p.next(ctx)
		if err != nil {
			return feed.Poll{}, outage(ctx, err)
		}
		if err := p.give(page); err != nil {
			return feed.Poll{}, err
		}
		more = page.rows > 0
	}
	return p.head.poll(from, p.newest, p.sent), nil
}

// feedPages is one poll in pages.
type feedPages struct {
	from   feed.Position
	apply  func([]feed.Event) error
	conn   *pgxpool.Conn
	tx     pgx.Tx
	sent   time.Time
	head   *feedHead // of the first page
	newest uint64
}

// open opens the cursor.
func (p *feedPages) open(ctx context.Context, r feedReader) (err error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	if p.conn, err = r.pool.Acquire(ctx); err != nil {
		return err
	}
	p.sent = r.clock()
	p.tx, err = p.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadOnly})
	if err == nil {
		_, err = p.tx.Exec(ctx, feedPagesLimits)
	}
	if err == nil {
		_, err = p.tx.Exec(ctx, lockFeed)
	}
	if err == nil {
		_, err = p.tx.Exec(ctx, openFeedPages, feedArguments(p.from, pgtype.Int8{})...)
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
	scan := page.scan
	if p.head == nil {
		scan = page.scanFirst
	}
	rows, _ := p.tx.Query(ctx, fetchFeedPage) // scan finds the error
	err = scan(rows)
	return page, err
}

// give hands a page on. The first one says whether there may be any.
func (p *feedPages) give(page feedPage) error {
	if p.head == nil {
		p.head = page.head
		if err := p.head.check(p.from); err != nil {
			return err
		}
	}
	p.newest = max(p.newest, page.newest)
	if len(page.events) == 0 {
		return nil
	}
	return p.apply(page.events)
}
