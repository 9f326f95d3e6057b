package member

import (
	"errors"
	"fmt"
)

// ErrTooLarge refuses a payload or key beyond the limits.
var ErrTooLarge = errors.New("too large for a message")

// ErrTooMany refuses SendAll in a cluster where it would cost too much.
var ErrTooMany = errors.New("too many replicas to send to each")

// maxPeers is how many replicas SendAll sends to: each datagram costs both ends
// together some 60 microseconds.
const maxPeers = 64

// Broadcast tells all replicas, in most cases. key is of at most 32 bytes: a message
// takes the place of an older one of this replica of the same class, kind and key that
// is still queued, here and where it is passed on. An empty key replaces nothing.
// It fails with ErrTooLarge or ErrFull, and never waits.
func (c *Cluster) Broadcast(class Class, kind byte, key string, payload []byte) error {
	if !class.valid() {
		return fmt.Errorf("there is no class %d", class)
	}
	if len(payload) > MaxPayload || len(key) > maxKey {
		return ErrTooLarge
	}
	f := c.frame(plane(class), kind, payload)
	f.key = []byte(key)
	return c.enqueue(&f, f.encode())
}

// relay passes a broadcast on, as it is.
func (c *Cluster) relay(f *frame, message []byte) {
	if c.enqueue(f, message) != nil {
		c.tally.add(droppedQueued)
	}
}

func (c *Cluster) enqueue(f *frame, message []byte) error {
	b := &broadcast{
		message: message, origin: f.origin, number: f.sequence,
		left: transmits(len(c.View().Members)),
	}
	if len(f.key) > 0 {
		b.key = string([]byte{byte(f.plane), f.kind}) + f.origin.Replica + "\x00" + string(f.key)
	}
	return c.queue.put(Class(f.plane), b)
}

// SendAll sends one datagram to each replica of this fingerprint, up to 64 of them, for
// what is of use at once or not at all. It returns when all were given to the network,
// which may have lost them. It fails with ErrTooLarge or ErrTooMany, having sent none.
func (c *Cluster) SendAll(kind byte, payload []byte) error {
	if len(payload) > MaxPayload {
		return ErrTooLarge
	}
	peers := c.View().peers
	if len(peers) > maxPeers {
		return ErrTooMany
	}
	f := c.frame(planeDirect, kind, payload)
	message := f.encode()
	for i := range peers {
		if c.list.SendBestEffort(&peers[i], message) != nil {
			c.tally.add(droppedSend)
		} else {
			c.tally.add(sentDirect)
		}
	}
	return nil
}

// localDigest is the message with the replica's digest.
func (c *Cluster) localDigest() []byte {
	digest := c.options.Digest()
	if len(digest) > MaxDigest {
		c.tally.add(tooLarge)
		return nil
	}
	c.tally.add(sentDigest)
	f := c.frame(planeDigest, 0, digest)
	return f.encode()
}

// frame is a new message of this replica's.
func (c *Cluster) frame(p plane, kind byte, payload []byte) frame {
	return frame{
		version: c.own.Version, plane: p, kind: kind, fingerprint: c.own.Fingerprint,
		origin: c.own.Origin, sequence: c.next[p.sequence()].Add(1), payload: payload,
	}
}
