package shard_test

import (
	"time"

	"namegate/bloomnet/shard"
)

// replica is one process at a time: its Core, what it has sent, and what ails it.
type replica struct {
	w      *world
	number int
	boots  int   // processes so far; what was planned for an earlier one is dropped
	order  []int // servers by the numbers that this replica gives them
	names  []string

	core  *shard.Core
	view  *shard.View
	hints *shard.Hints

	dead   bool
	paused bool
	inbox  []func() // what arrived while it was paused

	boot, wall time.Duration // offsets of its clocks
	freezes    bool          // its boot clock stands still in pauses; else its wall clock is set
	sent       map[shard.Instant]time.Duration
	slow       time.Duration // until when its polls are slow

	polling []int // of each database, the poll under way, or 0
	polls   int
	version []int // of each database's owned, as of the last poll that was taken
	owns    [simShards]bool
	busy    [simShards]bool // with a build
	files   []*file

	verified [simShards]*verification // the last of each shard

	writing bool     // the Core is at work
	running *check   // that is at work
	pending []*check // that are paused
}

func newReplica(w *world, number int) *replica {
	r := &replica{
		w: w, number: number, boot: w.between(1000, 5000000), wall: w.between(-8000, 8000), freezes: w.chance(50),
		sent: map[shard.Instant]time.Duration{},
	}
	for i := range w.servers {
		r.order = append(r.order, (i+number)%len(w.servers))
		r.names = append(r.names, w.servers[r.order[i]].name())
	}
	return r
}

// start begins a process that knows nothing.
func (r *replica) start() {
	r.boots++
	r.dead, r.paused, r.inbox = false, false, nil
	r.hints = shard.NewHints(64)
	r.core = shard.New(shard.Options{Shards: simShards, Databases: len(r.order), Bound: bound, Clock: r.clock, Hints: r.hints})
	r.view = r.core.View()
	r.view.SetPaused(r.pausePoint)
	r.polling, r.version = make([]int, len(r.order)), make([]int, len(r.order))
	r.busy, r.verified = [simShards]bool{}, [simShards]*verification{}
	for i := range r.order {
		r.version[i] = -1
		r.repeat(200, 400, func() { r.poll(i) })
	}
	r.repeat(700, 1400, r.work)
	r.repeat(5000, 9000, r.save)
	r.repeat(4000, 4001, r.hints.Age)
}

func (r *replica) up() bool { return !r.dead && !r.paused }

// then plans what this process does; it waits while the process is paused.
func (r *replica) then(d time.Duration, f func()) {
	boots := r.boots
	r.w.after(d, func() {
		switch {
		case r.boots != boots || r.dead:
		case r.paused:
			r.inbox = append(r.inbox, f)
		default:
			f()
		}
	})
}

func (r *replica) repeat(low, high int, f func()) {
	r.then(r.w.between(low, high), func() {
		r.repeat(low, high, f)
		f()
	})
}

func (r *replica) clock() shard.Instant {
	return shard.Instant{Boot: r.w.now + r.boot, Wall: time.Unix(1e9, 0).UTC().Add(r.w.now + r.wall)}
}

// do is what the Core's goroutine does; checks go on meanwhile.
func (r *replica) do(f func(*shard.Core)) {
	r.writing = true
	f(r.core)
	r.writing = false
}
