package postgres

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"namegate/storage/feed"
)

// feedReader reads the feed of one database.
type feedReader struct {
	*database
	clock func() time.Time
	// server is the one that answered last, nil when none has.
	server *atomic.Pointer[server]
	// strict says that transactions of the database are not READ COMMITTED unless
	// they say so.
	strict *atomic.Bool
	// quiet is what the last poll found, nil when there was none.
	quiet *atomic.Pointer[quiet]
}

// FeedReader is all that there is to read the feed of one database with.
type FeedReader interface {
	feed.WholeReader
	feed.Copier
	feed.Builder
}

var _ FeedReader = feedReader{}

// Feeds gives a reader for each database, in the order of the options. The clock
// says when a poll is sent.
func (s *Store) Feeds(clock func() time.Time) []FeedReader {
	readers := make([]FeedReader, len(s.databases))
	for i, d := range s.databases {
		readers[i] = feedReader{d, clock, new(atomic.Pointer[server]), new(atomic.Bool), new(atomic.Pointer[quiet])}
	}
	return readers
}

// Database is the name that operators gave the database.
func (r feedReader) Database() string { return r.name }

// Now is the position from which only what is not visible yet will come.
func (r feedReader) Now(ctx context.Context) (feed.Position, error) {
	h, err := r.head(ctx)
	if err != nil {
		return feed.Position{}, outage(ctx, err)
	}
	return h.snapshot.At(h.newest()), nil
}

// Oldest is the position from which comes what is kept whole.
func (r feedReader) Oldest(ctx context.Context) (feed.Position, error) {
	h, err := r.head(ctx)
	if err != nil {
		return feed.Position{}, outage(ctx, err)
	}
	return h.snapshot.At(h.snapshot.Trimmed), nil
}

// head reads the state of the feed without its changes.
func (r feedReader) head(ctx context.Context) (*feedHead, error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	var head []byte
	var b pgx.Batch
	b.Queue(begin)
	b.Queue(feedLimits)
	b.Queue(feedHeadSQL).Query(scanOne(&head))
	b.Queue(commit)
	if err := r.database.send(ctx, &b); err != nil {
		return nil, err
	}
	h := new(feedHead)
	p := &parser{rest: head}
	if err := r.usable(h, p); err != nil {
		return nil, err
	}
	if err := h.parseEnd(p); err != nil {
		return nil, err
	}
	r.server.Store(&h.server)
	return h, nil
}

// usable reads a head and checks what every reader relies on.
func (r feedReader) usable(h *feedHead, p *parser) error {
	if len(p.rest) == 0 {
		return errHead
	}
	err := h.parse(p)
	switch {
	case err != nil:
		return err
	case h.recovering:
		return errStandby
	case !h.isolated:
		return errIsolation
	}
	return nil
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
