package transfer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"
)

// peer is the connections to an address. It is known as long as there are any, or
// somebody who wants one.
type peer struct {
	pulls slots
	users int     // guarded by the Puller's mu
	idle  []*link // guarded by the Puller's mu
}

// link is a connection on which both sides have greeted.
type link struct {
	*tls.Conn
	raw   net.Conn
	timer *time.Timer // drops it when idle for too long
}

// from makes one attempt to get the rest of a blob from a peer.
func (p *Puller) from(ctx context.Context, address string, t *part) (Blob, error) {
	at := p.enter(address)
	defer p.exit(address, at)
	if err := at.pulls.wait(ctx); err != nil {
		return Blob{}, err
	}
	defer at.pulls.free()
	for {
		blob, again, err := p.over(ctx, address, at, t)
		if !again {
			p.count(ctx, err)
			return blob, err
		}
	}
}

// over makes an attempt over a connection, kept or new. It is to be made again when a
// kept connection turns out to have been closed by the peer since.
func (p *Puller) over(ctx context.Context, address string, at *peer, t *part) (blob Blob, again bool, err error) {
	c, kept := p.takeIdle(at), true
	if c == nil {
		kept = false
		if c, err = p.connect(ctx, address); err != nil {
			return Blob{}, false, err
		}
	}
	release := closeWith(ctx, c.raw)
	blob, answered, err := t.request(c, &p.Counters)
	release()
	if reusable(err) && ctx.Err() == nil {
		p.keep(address, at, c)
	} else {
		c.raw.Close()
	}
	return blob, kept && !answered && !isDamage(err) && ctx.Err() == nil, p.bounded(err)
}

// reusable says that the peer gave its whole answer.
func reusable(err error) bool {
	busy := (*BusyError)(nil)
	return err == nil || errors.Is(err, ErrNotHeld) || errors.Is(err, ErrNotNewer) || errors.As(err, &busy)
}

// bounded does not let a peer keep the puller waiting.
func (p *Puller) bounded(err error) error {
	if busy := (*BusyError)(nil); errors.As(err, &busy) {
		return &BusyError{RetryAfter: min(busy.RetryAfter, p.options.MaxPause)}
	}
	return err
}

func (p *Puller) count(ctx context.Context, err error) {
	busy := (*BusyError)(nil)
	switch {
	case err == nil:
		p.Counters.Pulled.Add(1)
	case ctx.Err() != nil:
	case errors.As(err, &busy):
		p.Counters.Busy.Add(1)
	case isDamage(err):
		p.Counters.Damaged.Add(1)
	case !reusable(err):
		p.Counters.Failed.Add(1)
	}
}

// connect makes a connection, and greets.
func (p *Puller) connect(ctx context.Context, address string) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, p.options.ConnectTimeout)
	defer cancel()
	raw, err := p.options.Dial(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	release := closeWith(ctx, raw)
	conn, err := p.self.greetServer(ctx, raw)
	release()
	if ctx.Err() != nil { // which has closed raw
		err = ctx.Err()
	}
	if err != nil {
		raw.Close()
		return nil, fmt.Errorf("greet: %w", err)
	}
	p.Counters.Connected.Add(1)
	return &link{Conn: conn, raw: raw}, nil
}
