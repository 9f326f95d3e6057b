package member

import (
	"bytes"
	"context"
)

// Messages wait for their handlers in these numbers: of datagrams many come at once.
const (
	maxGossiped = 1024
	maxSent     = 8192
	maxDigests  = 16
)

// inbox hands messages to one handler, one at a time.
type inbox struct {
	messages          chan Message
	handle            func(context.Context, Message)
	received, dropped counter
}

func (i *inbox) serve(ctx context.Context) {
	for {
		select {
		case m := <-i.messages:
			i.handle(ctx, m)
		case <-ctx.Done():
			return
		}
	}
}

// deliver never waits for the handler.
func (i *inbox) deliver(t *tally, m Message) {
	select {
	case i.messages <- m:
		t.add(i.received)
	default:
		t.add(i.dropped)
	}
}

// receive takes a broadcast or datagram. b is copied when it is accepted.
func (c *Cluster) receive(b []byte) {
	f, ok := c.admit(b, false)
	if !ok {
		return
	}
	b = bytes.Clone(b)
	m := Message{Origin: f.origin, Kind: f.kind, Payload: f.payloadOf(b)}
	if f.plane == planeDirect {
		c.direct.deliver(&c.tally, m)
		return
	}
	c.relay(&f, b)
	c.gossip.deliver(&c.tally, m)
}

// receiveDigest takes a digest. b stays this replica's.
func (c *Cluster) receiveDigest(b []byte) {
	f, ok := c.admit(b, true)
	if !ok {
		return
	}
	c.digests.deliver(&c.tally, Message{Origin: f.origin, Kind: f.kind, Payload: f.payload})
}

// admit refuses and counts what is not a message of this wire version and fingerprint,
// and what was seen before. Nothing is remembered of what is foreign.
func (c *Cluster) admit(b []byte, digest bool) (frame, bool) {
	f, verdict := parse(b, c.own.Version)
	switch {
	case verdict != accepted:
	case f.fingerprint != c.own.Fingerprint:
		verdict = foreignFingerprint
	case (f.plane == planeDigest) != digest:
		verdict = malformed
	case f.origin == c.own.Origin || !c.history.first(f.origin, f.plane, f.sequence):
		verdict = repeated
	default:
		return f, true
	}
	c.tally.add(verdict)
	return frame{}, false
}
