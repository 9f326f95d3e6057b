package shard_test

import (
	"slices"
	"time"

	"namegate/bloomnet/shard"
)

// ask sends a request to a server, and has what the server gives done when it arrives:
// sometimes late, sometimes twice, sometimes never.
func (r *replica) ask(n int, serve func(*server) func()) {
	s := r.w.servers[r.order[n]]
	boots := r.boots
	r.w.after(r.delay(1, 20), func() {
		if s.down || r.isCut(100+s.number) || r.boots != boots {
			return
		}
		reply := serve(s)
		if r.isCut(100+s.number) || r.w.chance(1) && r.w.now < faultsEnd {
			return
		}
		r.then(r.delay(5, 80), reply)
		if r.w.chance(2) {
			r.then(r.delay(5, 2000), reply)
		}
	})
}

func (r *replica) delay(low, high int) time.Duration {
	d := r.w.between(low, high)
	if r.w.now < faultsEnd && (r.w.chance(2) || r.slow > r.w.now && r.w.chance(50)) {
		d += r.w.between(500, 6000)
	}
	return d
}

func (r *replica) isCut(other int) bool {
	return r.w.cuts[[2]int{r.number, other}] > 0 || r.w.cuts[[2]int{other, r.number}] > 0
}

// poll reads a feed, one poll at a time as long as none is lost.
func (r *replica) poll(n int) {
	if r.polling[n] != 0 || r.w.calm() && r.w.chance(40) {
		return
	}
	r.polls++
	id := r.polls
	r.polling[n] = id
	done := func() {
		if r.polling[n] == id {
			r.polling[n] = 0
		}
	}
	r.then(time.Second, done)
	from, reading := r.core.Position(n)
	if !reading {
		r.begin(n, done)
		return
	}
	sent, known := r.clock(), r.version[n]
	r.sent[sent] = r.w.now
	r.ask(n, func(s *server) func() {
		p, ok := s.poll(from)
		p.Sent = sent
		version := s.version
		if version != known {
			p.Owned = slices.Clone(s.owned)
		}
		return func() {
			done()
			if ok {
				r.polled(n, p, version)
			} else if now, _ := r.core.Position(n); now == from {
				r.begin(n, done)
			}
		}
	})
}

func (r *replica) polled(n int, p shard.Poll, version int) {
	var err error
	r.do(func(c *shard.Core) { err = c.Polled(n, p) })
	if err == nil {
		r.version[n] = version
	}
	if err != nil || len(p.Events) > 0 || p.Owned != nil {
		r.w.log("r%d polled db%d to %d: %d events, %v, %v", r.number, r.order[n], p.To.At, len(p.Events), p.Owned, err)
	}
}

func (r *replica) begin(n int, done func()) {
	r.ask(n, func(s *server) func() {
		at := s.position()
		return func() {
			done()
			r.do(func(c *shard.Core) { c.Begin(n, at) })
			r.version[n] = -1
			r.w.log("r%d begins db%d at %d of %s", r.number, r.order[n], at.At, at.Source)
		}
	})
}
