package ratelimit

import (
	"context"
	"hash/maphash"
	"net/netip"
	"time"
)

// shards are how many parts the windows are kept in, each under a lock of its own.
const shards = 64

// DefaultMemory has room for 400,000 clients of as many networks that call now and then, and
// for 50,000 at a limit of 60 calls.
const DefaultMemory = 128 << 20

// Options set a Memory up. Every field but WideFactor is required.
type Options struct {
	Rules Rules
	// WideFactor is how many times the limit of a client its neighbourhood has; 0 for no such limit.
	WideFactor int
	// Memory bounds what windows take, in bytes, with half as much more for moments; calls that may be sent again take up to
	// an eighth as much beside it. When there are more clients, their calls count for
	// longer, and then some that are far from their limit are forgotten.
	Memory int
	// Clock may be set back: that admits nothing more, and keeps nobody out for longer.
	Clock func() time.Time
}

// Memory limits the clients of this replica.
type Memory struct {
	parts [shards]part
	seed  maphash.Seed
	clock func() time.Time
	rules []rule // by the number of a bucket
}

// rule is the limits of one bucket; those of no calls are off.
type rule struct{ own, wide Limit }

var _ Limiter = (*Memory)(nil)

// NewMemory makes a Memory that has admitted nothing.
func NewMemory(o Options) *Memory {
	m := &Memory{seed: maphash.MakeSeed(), clock: o.Clock}
	for _, bucket := range Buckets() {
		own := o.Rules[bucket]
		m.rules = append(m.rules, rule{own, Limit{own.Calls * o.WideFactor, own.Per}})
	}
	now := o.Clock()
	for i := range m.parts {
		m.parts[i] = newPart(m.rules, o.Memory/shards, now)
	}
	return m
}

// Take fulfils Limiter. What of one client counts together is in one part, so that its
// lock makes all of a charge one step.
func (m *Memory) Take(_ context.Context, client netip.Addr, charges []Charge) *Refusal {
	own, wide := keysOf(client)
	p, _ := m.enter(wide)
	defer p.mu.Unlock()
	return p.take(own, wide, charges)
}

// Standing fulfils Limiter.
func (m *Memory) Standing(_ context.Context, client netip.Addr, bucket Bucket) (Standing, bool) {
	b := number(bucket)
	if b < 0 || m.rules[b].own.Calls == 0 {
		return Standing{}, false
	}
	own, wide := keysOf(client)
	p, now := m.enter(wide)
	defer p.mu.Unlock()
	return p.standing(own, wide, b, now), true
}

// enter locks the part of a neighbourhood, which the caller must unlock, at the present time.
func (m *Memory) enter(wide key) (*part, time.Time) {
	p := &m.parts[maphash.Comparable(m.seed, wide)%shards]
	now := m.clock()
	p.mu.Lock()
	p.advance(now)
	return p, now
}

// number is that of a bucket, -1 for none.
func number(bucket Bucket) int {
	for i, b := range Buckets() {
		if b == bucket {
			return i
		}
	}
	return -1
}
