package member

import (
	"context"
	"fmt"
	"time"
)

const (
	// tellTimeout is how long to wait for news of this replica to have been sent out.
	// What has not been by then goes with the next exchange of state.
	tellTimeout = 2 * time.Second
	// propagation is how long the others pass news on among each other.
	propagation = time.Second
)

// turn is a lock that is held for seconds, so that a bubble's time passes for who waits.
type turn chan struct{}

func (t turn) take() { t <- struct{}{} }
func (t turn) give() { <-t }

// SetState tells the others the state of this replica. It returns when that has been
// sent out, or could not be for 2 s.
func (c *Cluster) SetState(s State) error {
	if !s.valid() {
		return fmt.Errorf("there is no state %d", s)
	}
	c.turn.take()
	defer c.turn.give()
	if c.closed {
		return ErrClosed
	}
	if c.state == s {
		return nil
	}
	c.state = s
	c.describe()
	_ = c.list.UpdateNode(tellTimeout) // its only error is the timeout
	return nil
}

// Leave ends the membership in a way that the others can tell from a crash: it says that
// the replica is draining, then that it is gone, and waits each time for the news to
// spread, some 3 s together. It is shorter when ctx ends.
func (c *Cluster) Leave(ctx context.Context) error {
	if err := c.SetState(Draining); err != nil {
		return err
	}
	c.linger(ctx)
	c.bid()
	c.linger(ctx)
	return c.Close()
}

// linger keeps answering while others pass news on.
func (c *Cluster) linger(ctx context.Context) {
	if len(c.View().peers) == 0 {
		return
	}
	t := time.NewTimer(propagation)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// bid says that this replica is gone, and does not insist: others that do not hear it find
// out. memberlist panics when it is asked for that after its end.
func (c *Cluster) bid() {
	c.turn.take()
	defer c.turn.give()
	if !c.closed {
		_ = c.list.Leave(tellTimeout) // its only error is the timeout
	}
}

// Close ends the membership as a crash would, and waits for the handlers, which must not
// call it. It may be called again.
func (c *Cluster) Close() error {
	c.close()
	c.journal.ending.Store(true)
	c.cancel()
	err := c.list.Shutdown()
	c.workers.Wait()
	if err != nil {
		return fmt.Errorf("end membership: %w", err)
	}
	return nil
}

// close waits for what memberlist is doing, and lets nothing new be asked of it.
func (c *Cluster) close() {
	c.turn.take()
	defer c.turn.give()
	c.closed = true
}
