package shard

import (
	"sync/atomic"
	"time"

	"namegate/bloomnet/bloom"
)

// View answers whether names are there, for any number of goroutines.
type View struct {
	bound  time.Duration
	clock  func() Instant
	hints  *Hints
	times  []atomic.Pointer[Instant] // of each database: when its last poll was sent
	states []atomic.Pointer[state]   // of each shard
	// paused is called between the steps of a check, and of what the Core does for
	// checks to see; of the simulation, else nil.
	paused func()
}

func newView(o Options) *View {
	return &View{
		bound: o.Bound, clock: o.Clock, hints: o.Hints,
		times: make([]atomic.Pointer[Instant], o.Databases), states: make([]atomic.Pointer[state], o.Shards),
	}
}

// state is one shard for readers. Its base is immutable, its recent layer only changes
// by what the feed tells.
type state struct {
	base    *bloom.Filter
	recent  *recent
	vouched int // the database that vouches for the shard, or nobody
}

const nobody = -1

// Standing is what a View knows of a name.
type Standing int

// Unknown: this replica cannot vouch for an answer, and somebody else must be asked.
// Maybe: the name may be there. Free: it was not, as of a time.
const (
	Unknown Standing = iota
	Maybe
	Free
)

// Check looks a name up. With Free it says as of when: everything that was visible in
// the databases by then was looked at, and that is not longer ago than the bound, at the
// moment of the last look at the clock.
//
// The order of its steps is what makes that true: time, then bits, then clock. The bits
// are those of a state that is not older than the time; they are none of another
// database's stay, as a state is shown before the time of the poll that brought it.
func (v *View) Check(shard int, name bloom.Hash) (Standing, Instant) {
	before := v.states[shard].Load()
	if before.vouched == nobody {
		return Unknown, Instant{}
	}
	v.pause()
	asOf := v.times[before.vouched].Load()
	v.pause()
	s := v.states[shard].Load()
	if asOf == nil || s.vouched != before.vouched {
		return Unknown, Instant{}
	}
	v.pause()
	if s.has(name) || v.hints.Has(name) {
		return Maybe, Instant{}
	}
	v.pause()
	if v.clock().Since(*asOf) > v.bound {
		return Unknown, Instant{}
	}
	return Free, *asOf
}

func (s *state) has(name bloom.Hash) bool {
	return s.base != nil && s.base.Has(name) || s.recent.has(name)
}

func (v *View) pause() {
	if v.paused != nil {
		v.paused()
	}
}

// Vouched says whether a Check of the shard may say Free at this moment.
func (v *View) Vouched(shard int) bool {
	s := v.states[shard].Load()
	if s.vouched == nobody {
		return false
	}
	asOf := v.times[s.vouched].Load()
	return asOf != nil && v.clock().Since(*asOf) <= v.bound
}

// Hint notes a name that is about to be added.
func (v *View) Hint(name bloom.Hash) { v.hints.Add(name) }
