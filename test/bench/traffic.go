package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// connections is how many requests are under way at once, unless a work says else.
const connections = 128

// source appends the body of a request to one slice and to the other what the answer
// must hold.
type source func(body, wanted []byte) ([]byte, []byte)

// traffic is a stream of requests to one server.
type traffic struct {
	address     string
	connections int
	// next makes the source of one connection.
	next func() source
	// rate is how many requests a second begin, whether those before are done or not;
	// 0 for as many as are done.
	rate float64
	// seen is given each good answer; nil for nobody.
	seen func(answer []byte)
}

// run posts requests for a time, each connection one after the other.
func (t traffic) run(ctx context.Context, length time.Duration) (s sample, err error) {
	clients, err := dial(ctx, t.address, t.connections, length)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, hangUp(clients)) }()
	callers := make([]caller, t.connections)
	for i := range callers {
		callers[i] = caller{client: clients[i], next: t.next(), seen: t.seen}
	}
	return driveAt(ctx, t.connections, t.rate, length, func(i int) error { return callers[i].exchange() })
}

// caller is one connection and what it asks.
type caller struct {
	*client
	next         source
	seen         func([]byte)
	body, wanted []byte
}

func (c *caller) exchange() error {
	c.body, c.wanted = c.next(c.body[:0], c.wanted[:0])
	answer, err := exchange(c.client, c.body, c.wanted)
	if err == nil && c.seen != nil {
		c.seen(answer)
	}
	return err
}

// exchange posts a body and judges the answer.
func exchange(c *client, body, wanted []byte) (answer []byte, err error) {
	status, answer, err := c.post(body)
	if err == nil && (status != 200 || !bytes.Contains(answer, wanted)) {
		err = callError{fmt.Errorf("status %d without %s: %s", status, wanted, answer)}
	}
	return answer, err
}

// share counts answers, and those among them that hold something.
type share struct {
	of        []byte
	all, such atomic.Uint64
}

func (s *share) count(answer []byte) {
	s.all.Add(1)
	if bytes.Contains(answer, s.of) {
		s.such.Add(1)
	}
}

// take gives the share of what was counted since it was taken last.
func (s *share) take() float64 {
	all, such := s.all.Swap(0), s.such.Swap(0)
	return float64(such) / float64(max(all, 1))
}
