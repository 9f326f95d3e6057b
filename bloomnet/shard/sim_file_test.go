package shard_test

import "namegate/bloomnet/shard"

// file is what a replica wrote for the next process.
type file struct {
	positions []shard.Position
	images    [][]byte
}

// save writes a file: positions first, then each image, while polls go on.
func (r *replica) save() {
	f := &file{positions: r.core.Positions()}
	for i := range simShards {
		r.then(r.w.between(0, 1500), func() {
			m, err := r.core.Image(i)
			if err != nil {
				return
			}
			b, err := m.Encode(i, r.names)
			if err != nil {
				r.w.fail("encode: %v", err)
			}
			f.images = append(f.images, b)
		})
	}
	r.then(1600*1e6, func() { r.files = append(r.files, f) })
}

// crash ends the process, which a new one follows: from a file, an old one at times, or
// with nothing.
func (r *replica) crash() {
	r.dead = true
	r.dropChecks()
	r.w.log("r%d dies", r.number)
	r.w.after(r.w.between(300, 8000), r.restart)
}

func (r *replica) restart() {
	if r.w.chance(20) { // the machine was booted
		r.boot = -r.w.now + r.w.between(1000, 2000)
	}
	r.start()
	if len(r.files) == 0 || r.w.chance(15) {
		r.w.log("r%d starts with nothing", r.number)
		return
	}
	f := r.files[len(r.files)-1]
	if r.w.chance(25) {
		f = r.files[r.w.IntN(len(r.files))]
	}
	r.restore(f)
}

// restore may leave a database out, as one is that the file was written without, or take one
// for another.
func (r *replica) restore(f *file) {
	positions, images := append([]shard.Position{}, f.positions...), map[int]shard.Image{}
	without := -1
	if r.w.chance(15) {
		without = r.w.IntN(len(positions))
		positions[without] = shard.Position{}
	}
	number := r.database
	if r.w.chance(10) { // names were swapped
		positions[0], positions[1] = positions[1], positions[0]
		number = func(name string) (int, bool) {
			n, known := r.database(name)
			return [3]int{1, 0, 2}[n], known
		}
	}
	for _, b := range f.images {
		number, m, err := shard.Decode(b, number)
		if err != nil {
			r.w.fail("decode: %v", err)
		}
		images[number] = m
		r.w.log("r%d restores shard %d: %s", r.number, number, told(m))
	}
	r.do(func(c *shard.Core) { c.Restore(positions, images) })
	r.w.log("r%d restored, without %d", r.number, without)
}
