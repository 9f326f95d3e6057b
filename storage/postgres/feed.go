package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"namegate/storage/feed"
)

// feedReader reads the feed of one database.
type feedReader struct {
	*database
	clock func() time.Time
}

var _ feed.Reader = feedReader{}

// Feeds gives a reader for each database, in the order of the options. The clock
// says when a poll is sent.
func (s *Store) Feeds(clock func() time.Time) []feed.Reader {
	readers := make([]feed.Reader, len(s.databases))
	for i, d := range s.databases {
		readers[i] = feedReader{d, clock}
	}
	return readers
}

// Database is the name that operators gave the database.
func (r feedReader) Database() string { return r.name }

// Now is the position from which only what is not visible yet will come.
func (r feedReader) Now(ctx context.Context) (feed.Position, error) {
	h, err := r.head(ctx)
	if err != nil {
		return feed.Position{}, err
	}
	return h.snapshot.At(max(h.Newest, h.Trimmed)), nil
}

// Oldest is the position from which comes what is kept whole.
func (r feedReader) Oldest(ctx context.Context) (feed.Position, error) {
	h, err := r.head(ctx)
	if err != nil {
		return feed.Position{}, err
	}
	return h.snapshot.At(h.Trimmed), nil
}

// head reads the state of the feed without its changes.
func (r feedReader) head(ctx context.Context) (*feedHead, error) {
	var h *feedHead
	_, err := r.readFeed(ctx, feedHeadSQL, nil, func(rows pgx.Rows) (err error) {
		h, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[*feedHead])
		return err
	})
	if err == nil {
		err = h.complete()
	}
	return h, outage(ctx, err)
}

// Poll gives what has become visible since a position. Nearly always that is
// little, and one statement has it.
func (r feedReader) Poll(ctx context.Context, from feed.Position, apply func([]feed.Event) error) (feed.Poll, error) {
	var p feedPage
	sent, err := r.readFeed(ctx, feedPollSQL, feedArguments(from, pgtype.Int8{Int64: feedPageRows + 1, Valid: true}), p.scanFirst)
	if err != nil {
		return feed.Poll{}, outage(ctx, err)
	}
	if err := p.head.check(from); err != nil {
		return feed.Poll{}, err
	}
	if p.rows > feedPageRows {
		return r.pollPages(ctx, from, apply)
	}
	if len(p.events) > 0 {
		if err := apply(p.events); err != nil {
			return feed.Poll{}, err
		}
	}
	return p.head.poll(from, p.newest, sent), nil
}

// readFeed runs one statement and says when it was sent. It is READ COMMITTED: the
// snapshot of its transaction might be older than its lock on the table, and miss
// the rows of a partition dropped in between without knowing of it.
func (r feedReader) readFeed(ctx context.Context, sql string, args []any, scan func(pgx.Rows) error) (sent time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	err = r.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		var b pgx.Batch
		b.Queue(readCommitted)
		b.Queue(feedLimits)
		b.Queue(sql, args...).Query(scan)
		sent = r.clock()
		return conn.SendBatch(ctx, &b).Close()
	})
	return sent, err
}

// outage is the contract's error for one of a read's.
func outage(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return domainError(err)
}
