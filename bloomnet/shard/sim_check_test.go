package shard_test

import (
	"iter"
	"slices"
	"time"

	"namegate/bloomnet/shard"
)

// check is one that is paused between its steps, while all else goes on.
type check struct {
	r       *replica
	yield   func(struct{}) bool
	next    func() (struct{}, bool)
	stop    func()
	dropped bool
}

func (w *world) checkAll() {
	for _, r := range w.replicas {
		if r.up() && (!w.calm() || w.chance(25)) {
			r.check()
			r.check()
			if w.chance(15) {
				r.startCheck()
			}
		}
	}
}

// check is done at once.
func (r *replica) check() { r.checkOf(r.w.IntN(simShards), r.w.IntN(simNames), nil) }

func (r *replica) checkOf(number, i int, c *check) {
	standing, asOf := r.view.Check(number, nameTable[number][i])
	if c != nil && c.dropped {
		return
	}
	r.w.checks++
	if standing == shard.Free {
		r.w.free++
		r.judge(number, i, asOf)
	}
}

// judge holds a Free against the truth, at the moment of the check's last look at the
// clock: no time has passed since.
func (r *replica) judge(number, i int, asOf shard.Instant) {
	at, known := r.sent[asOf]
	x := r.w.shards[number].names[i]
	switch {
	case !known:
		r.w.fail("r%d shard %d name %d is free as of a time that is none of its own", r.number, number, i)
	case r.w.now-at > bound:
		r.w.fail("r%d shard %d name %d is free as of %v ago", r.number, number, i, r.w.now-at)
	case x.state != isFree && x.since < at:
		r.w.fail("r%d shard %d name %d is free as of %v, but is there since %v", r.number, number, i, at, x.since)
	}
}

func (r *replica) startCheck() {
	number, i := r.w.IntN(simShards), r.w.IntN(simNames)
	c := &check{r: r}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		c.pause()
		r.checkOf(number, i, c)
	})
	r.pending = append(r.pending, c)
	c.resume()
	c.later()
}

func (c *check) pause() {
	if !c.dropped && !c.yield(struct{}{}) {
		c.dropped = true
	}
}

// resume does one more step.
func (c *check) resume() {
	r := c.r
	before, writing := r.running, r.writing
	r.running, r.writing = c, false
	_, more := c.next()
	r.running, r.writing = before, writing
	if !more {
		r.pending = slices.DeleteFunc(r.pending, func(p *check) bool { return p == c })
	}
}

func (c *check) later() {
	c.r.then(c.r.pauseLength(), func() {
		if slices.Contains(c.r.pending, c) {
			c.resume()
			c.later()
		}
	})
}

func (r *replica) pauseLength() time.Duration {
	switch r.w.IntN(4) {
	case 0:
		return r.w.between(100, 1000)
	case 1:
		return r.w.between(1000, 9000)
	}
	return r.w.between(0, 50)
}

// pausePoint is called between the steps of checks and of the Core.
func (r *replica) pausePoint() {
	switch {
	case r.running != nil:
		r.running.pause()
	case r.writing:
		r.interleave()
	}
}

// interleave lets checks go on while the Core is in the middle of something.
func (r *replica) interleave() {
	if r.w.chance(20) {
		r.writing = false
		r.check()
		r.writing = true
	}
	if len(r.pending) > 0 && r.w.chance(50) {
		r.pending[r.w.IntN(len(r.pending))].resume()
	}
}

func (r *replica) dropChecks() {
	for _, c := range r.pending {
		c.dropped = true
		c.stop()
	}
	r.pending = nil
}
