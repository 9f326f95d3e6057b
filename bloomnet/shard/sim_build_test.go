package shard_test

import (
	"fmt"
	"hash/crc32"
	"slices"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

// work is what an owner does for its shards, and what the others pull.
func (r *replica) work() {
	for n := range r.order {
		for _, s := range r.core.Survey(n) {
			r.workFor(n, s)
		}
	}
}

func (r *replica) workFor(n int, s shard.Survey) {
	switch owns := r.owns[s.Shard]; {
	case r.busy[s.Shard], r.w.quiet:
	case !s.Missing && r.w.chance(15):
		r.verify(n, s.Shard)
	case owns && (s.Missing || s.Dead > 2 || r.w.chance(3)):
		r.build(n, s.Shard)
	case owns && s.Lasting > 2:
		r.fold(n, s.Shard)
	case s.Missing, r.w.chance(10):
		peer := (r.number + 1 + r.w.IntN(len(r.w.replicas)-1)) % len(r.w.replicas)
		r.pull(r.w.replicas[peer], s.Shard)
	}
}

// number asks a shard's database for the number of a build.
func (r *replica) numbered(n, number int, f func(epoch, build uint64)) {
	r.busy[number] = true
	r.then(r.w.between(3000, 8000), func() { r.busy[number] = false })
	r.ask(n, func(s *server) func() {
		if s.owned[number] == 0 {
			return func() {}
		}
		st := r.w.shards[number]
		st.builds++
		epoch, build, used := s.owned[number], st.builds, false
		return func() {
			if !used {
				used = true
				f(epoch, build)
			}
		}
	})
}

// build makes a base from the table, as of a snapshot that takes a while to arrive.
func (r *replica) build(n, number int) {
	r.numbered(n, number, func(_, build uint64) {
		r.ask(n, func(s *server) func() {
			head := shard.Head{Epoch: s.owned[number], Build: build, Database: n, At: s.position()}
			lasting, reserved := s.table(number)
			if s.down || head.Epoch == 0 {
				return func() {}
			}
			return func() {
				base := bloom.New(simNames)
				for _, h := range lasting {
					base.Add(h)
				}
				r.then(r.w.between(1, 2000), func() {
					r.install(number, shard.Built(head, base, uint64(len(lasting)), reserved), "build")
				})
			}
		})
	})
}

func (r *replica) fold(n, number int) {
	r.numbered(n, number, func(epoch, build uint64) {
		m, err := r.core.Image(number)
		if err == nil && m.Epoch == epoch {
			r.then(r.w.between(1, 1000), func() { r.install(number, m.Fold(build), "fold") })
		}
	})
}

// pull gets an image from a peer, of that moment or of long ago, and perhaps twice.
func (r *replica) pull(peer *replica, number int) {
	if !peer.up() || r.isCut(peer.number) {
		return
	}
	m, err := peer.core.Image(number)
	if err != nil {
		return
	}
	b, err := m.Encode(number, peer.names)
	if err != nil {
		r.w.fail("encode: %v", err)
		return
	}
	past := append(r.w.images[number], b)
	r.w.images[number] = past
	if r.w.chance(30) {
		b = past[max(0, len(past)-1-r.w.IntN(8))]
	}
	for range 1 + r.w.IntN(2) {
		r.then(r.w.between(10, 4000), func() { r.receive(b) })
	}
}

func (r *replica) receive(b []byte) {
	number, m, err := shard.Decode(b, r.database)
	if err != nil {
		r.w.fail("decode: %v", err)
		return
	}
	r.install(number, m, "pull")
}

// database is the number of a database by its name.
func (r *replica) database(name string) (int, bool) {
	n := slices.Index(r.names, name)
	return n, n >= 0
}

func (r *replica) install(number int, m shard.Image, how string) {
	head := fmt.Sprint(number, m.Head.Epoch, m.Head.Build, r.order[m.Head.Database], m.Head.At)
	b, _ := m.Base.AppendBinary(nil)
	sum := crc32.ChecksumIEEE(b)
	if before, known := r.w.bases[head]; known && before != sum {
		r.w.fail("bases of head %s differ", head)
	}
	r.w.bases[head] = sum
	var err error
	r.do(func(c *shard.Core) { err = c.Install(number, m) })
	r.w.log("r%d %s of shard %d: %s: %v", r.number, how, number, told(m), err)
}

// told is an image in the trace.
func told(m shard.Image) string {
	return fmt.Sprintf("build %d/%d, complete %d as of %d", m.Head.Epoch, m.Head.Build, m.Epoch, m.AsOf.At)
}
