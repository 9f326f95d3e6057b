package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// connections is how many requests are under way at once.
const connections = 128

// traffic is a stream of requests to one server.
type traffic struct {
	address string
	// next appends the body of a request to one slice and to the other what the
	// answer must hold.
	next func(body, wanted []byte) ([]byte, []byte)
}

// run posts requests for a time, each connection one after the other.
func (t traffic) run(ctx context.Context, length time.Duration) (s sample, err error) {
	clients, err := dial(ctx, t.address, connections, length)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, hangUp(clients)) }()
	buffers := make([]struct{ body, wanted []byte }, connections)
	return drive(ctx, connections, length, func(i int) error {
		b := &buffers[i]
		b.body, b.wanted = t.next(b.body[:0], b.wanted[:0])
		return exchange(clients[i], b.body, b.wanted)
	})
}

// exchange posts a body and judges the answer.
func exchange(c *client, body, wanted []byte) error {
	status, answer, err := c.post(body)
	if err != nil {
		return err
	}
	if status != 200 || !bytes.Contains(answer, wanted) {
		return callError{fmt.Errorf("status %d without %s: %s", status, wanted, answer)}
	}
	return nil
}
