package shard_test

import (
	"time"

	"namegate/bloomnet/shard"
)

// fault does one, and plans the next.
func (w *world) fault() {
	if w.now > faultsEnd-9*time.Second {
		return
	}
	w.after(w.between(100, 2500), w.fault)
	r, s := w.replicas[w.IntN(len(w.replicas))], w.servers[w.IntN(len(w.servers))]
	switch w.IntN(12) {
	case 0:
		w.cut(r.number, 100+s.number)
	case 1:
		w.cut(r.number, w.IntN(len(w.replicas)))
	case 2, 3:
		r.pause(w.between(500, 9000))
	case 4:
		if r.up() {
			r.crash()
		}
	case 5, 6, 7:
		w.move(w.IntN(simShards), w.chance(50))
	case 8:
		w.log("%s crashes", s.name())
		s.crash()
	case 9:
		if w.chance(30) {
			w.log("%s fails over", s.name())
			s.failOver()
			return
		}
		s.trim(w.between(0, 1000))
	case 10:
		if !r.freezes {
			r.wall += w.between(-9000, 9000)
		}
	case 11:
		r.slow = w.now + w.between(1000, 8000)
	}
}

func (w *world) cut(a, b int) {
	pair := [2]int{a, b}
	w.log("%v cut off", pair)
	w.cuts[pair]++
	w.after(w.between(500, 9000), func() { w.cuts[pair]-- })
}

// pause stops a process, or its whole machine with the clock that counts from the boot.
func (r *replica) pause(d time.Duration) {
	if !r.up() {
		return
	}
	r.w.log("r%d pauses", r.number)
	r.paused = true
	boots := r.boots
	r.w.after(d, func() {
		if r.boots != boots {
			return
		}
		if r.freezes {
			r.boot -= d
		}
		r.w.log("r%d goes on", r.number)
		r.resume()
	})
}

// resume answers checks before, between and after what has waited in the sockets.
func (r *replica) resume() {
	r.paused = false
	waiting := r.inbox
	r.inbox = nil
	for _, f := range waiting {
		r.check()
		f()
	}
}

// flipOwners changes who thinks to own what: one, several, or none.
func (w *world) flipOwners() {
	for _, r := range w.replicas {
		for i := range r.owns {
			r.owns[i] = w.chance(40)
			if w.now > faultsEnd {
				r.owns[i] = r.number == i%len(w.replicas)
			}
		}
	}
	for _, s := range w.servers {
		s.trim(15 * time.Second)
	}
}

func (w *world) heal() { w.log("no more faults") }

// requireAuthority ends the writing too.
func (w *world) requireAuthority() {
	for _, r := range w.replicas {
		for i := range simShards {
			if !r.view.Vouched(i) {
				w.fail("r%d does not vouch for shard %d", r.number, i)
			}
		}
	}
	w.quiet = true
	w.after(2*time.Second, w.rebuild)
}

// rebuild has each shard's owner build it from the table, and the others pull that.
func (w *world) rebuild() {
	for i, st := range w.shards {
		owner := w.replicas[i%len(w.replicas)]
		n, _ := owner.database(w.servers[st.home].name())
		owner.build(n, i)
		for _, d := range []time.Duration{3000, 4000} {
			w.after(d*time.Millisecond, func() { owner.giveAll(i) })
		}
	}
}

// giveAll has all others take the image of a shard.
func (r *replica) giveAll(number int) {
	m, err := r.core.Image(number)
	if err != nil {
		r.w.fail("r%d has no image of shard %d to give: %v", r.number, number, err)
		return
	}
	b, err := m.Encode(number, r.names)
	if err != nil {
		r.w.fail("encode: %v", err)
	}
	for _, o := range r.w.replicas {
		o.receive(b)
	}
}

// requireForgotten says that what went is Free again everywhere, and the rest is not.
func (w *world) requireForgotten() {
	for _, r := range w.replicas {
		r.hints.Age()
		r.hints.Age()
		for i, st := range w.shards {
			for j, n := range st.names {
				standing, _ := r.view.Check(i, nameTable[i][j])
				twin := j%(simNames-1) == 0 && st.names[simNames-1-j].state == isLasting
				if (standing == shard.Free) != (n.state == isFree) && !twin {
					w.fail("r%d shard %d name %d: standing %d, state %d", r.number, i, j, standing, n.state)
				}
			}
		}
	}
}
