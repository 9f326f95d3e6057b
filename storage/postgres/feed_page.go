package postgres

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"namegate/storage/feed"
)

// feedPageRows is how many rows of the feed are in memory at a time; each has at
// most some thousand changes. feed_poll gives one more, to say that there are more.
const feedPageRows = 1024

// feedPage is what has been read of a poll.
type feedPage struct {
	state []byte      // of the server, before all else was read
	head  *feedHead   // nil when it is that of the last poll, and so is all
	owned *feed.Owned // nil when it was not asked for
	feedRows
}

// Poll gives what has become visible since a position.
func (r feedReader) Poll(ctx context.Context, from feed.Position, apply func([]feed.Event) error) (feed.Poll, error) {
	whole, err := r.poll(ctx, from, pgtype.UUID{}, apply)
	return whole.Poll, err
}

// PollWhole gives it in one piece, with what the database owns.
func (r feedReader) PollWhole(ctx context.Context, from feed.Position, known [16]byte, limit int) (feed.Whole, error) {
	var events []feed.Event
	whole, err := r.poll(ctx, from, uuid(known), func(page []feed.Event) error {
		if len(events)+len(page) > limit {
			return &feed.TooLargeError{Limit: limit}
		}
		if events == nil {
			events = page
		} else {
			events = append(events, page...)
		}
		return nil
	})
	if err != nil {
		return feed.Whole{}, err
	}
	whole.Events = events
	return whole, nil
}

// poll polls. Nearly always that is little and new, and one statement has it.
func (r feedReader) poll(ctx context.Context, from feed.Position, known pgtype.UUID, apply func([]feed.Event) error) (feed.Whole, error) {
	last := r.quiet.Load()
	page, sent, err := r.pollOnce(ctx, from, known, last.still(from, known))
	if err != nil {
		return feed.Whole{}, outage(ctx, err)
	}
	if page.head == nil {
		return last.again(sent), nil
	}
	if page.rows > feedPageRows || page.head.snapshot.IsPast(from) {
		return r.pollPages(ctx, from, known, apply)
	}
	if err := page.head.check(from); err != nil {
		return feed.Whole{}, err
	}
	if len(page.events) > 0 {
		page.sort()
		if err := apply(page.events); err != nil {
			return feed.Whole{}, err
		}
	}
	p := page.head.poll(from, page.newest, sent)
	r.quiet.Store(&quiet{page.state, p})
	return feed.Whole{Poll: p, Owned: page.owned}, nil
}

// errServer says that the server was another one in the middle of a poll.
var errServer = errors.New("server was restarted or replaced")

// pollOnce runs the one statement. Where the isolation that the database gives to
// transactions must be set first, that costs as much as the poll.
func (r feedReader) pollOnce(ctx context.Context, from feed.Position, known pgtype.UUID, still []byte) (page feedPage, sent time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	strict := r.strict.Load()
	page, sent, err = r.send(ctx, strict, from, known, still)
	if errors.Is(err, errIsolation) && !strict {
		r.strict.Store(true)
		page, sent, err = r.send(ctx, true, from, known, still)
	}
	if err != nil || page.head == nil {
		return page, sent, err
	}
	return page, sent, r.identify(ctx, page.head)
}

// identify completes the head of a poll, as most need not ask which server answers.
func (r feedReader) identify(ctx context.Context, h *feedHead) error {
	s := r.server.Load()
	if s == nil || s.started != h.server.started {
		asked, err := r.head(ctx)
		if err != nil {
			return err
		}
		s = &asked.server
	}
	if s.started != h.server.started {
		return errServer
	}
	h.of(*s)
	return nil
}

// send sends the statement and says when. It must be READ COMMITTED, which strict makes
// sure of: the snapshot of its transaction might else be older than its lock on the
// table, and miss the rows of a table put aside in between without knowing of it.
func (r feedReader) send(ctx context.Context, strict bool, from feed.Position, known pgtype.UUID, still []byte) (page feedPage, sent time.Time, err error) {
	newest := from.Newest()
	args := []any{newest.Xid, time.UnixMicro(newest.Began + postgresEpoch), from.Running, known, still}
	var answer []byte
	err = r.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		sent = r.clock()
		if !strict {
			return conn.QueryRow(ctx, feedPollSQL, args...).Scan(&answer)
		}
		var b pgx.Batch
		b.Queue(begin)
		b.Queue(feedPollSQL, args...).Query(scanOne(&answer))
		b.Queue(commit)
		return conn.SendBatch(ctx, &b).Close()
	})
	if err == nil {
		err = page.read(r, answer, still)
	}
	return page, sent, err
}

func (p *feedPage) read(r feedReader, answer, still []byte) error {
	rest := &parser{rest: answer}
	p.state = bytes.Clone(rest.bytes(rest.length(1))) // which is kept, unlike the answer
	if still != nil && len(rest.rest) == 0 && bytes.Equal(p.state, still) {
		return nil
	}
	p.head = new(feedHead)
	if err := r.usable(p.head, rest); err != nil || len(rest.rest) == 0 {
		return err
	}
	return p.readRows(rest)
}

// readRows reads what follows the head.
func (p *feedPage) readRows(rest *parser) (err error) {
	if p.owned, err = parseOwned(rest); err != nil {
		return err
	}
	p.events = make([]feed.Event, 0, len(rest.rest)/feedRowSize)
	return p.parse(rest)
}
