package shard_test

// move takes a shard to another database: frozen once no writer holds the fence, moved
// away, owned at a higher epoch there. It may be given up half way. No row of a feed
// tells of it.
func (w *world) move(number int, back bool) {
	st := w.shards[number]
	from := w.servers[st.home]
	if st.frozen || from.down {
		return
	}
	if st.writers > 0 {
		w.after(w.between(50, 150), func() { w.move(number, back) })
		return
	}
	st.frozen = true
	from.own(number, 0)
	w.log("%s shard %d frozen", from.name(), number)
	w.after(w.between(30, 400), func() {
		if w.chance(20) {
			w.settle(number, st.home, st.epoch+uint64(w.IntN(2)), false)
			return
		}
		to := (st.home + 1 + w.IntN(len(w.servers)-1)) % len(w.servers)
		w.after(w.between(10, 400), func() { w.settle(number, to, st.epoch+1, back) })
	})
}

// settle makes a database own a frozen shard.
func (w *world) settle(number, home int, epoch uint64, back bool) {
	st := w.shards[number]
	if w.servers[home].down {
		w.after(w.between(100, 200), func() { w.settle(number, home, epoch, back) })
		return
	}
	st.home, st.epoch, st.frozen = home, epoch, false
	w.servers[home].own(number, epoch)
	w.log("db%d owns shard %d at epoch %d", home, number, epoch)
	if back {
		w.after(w.between(20, 400), func() { w.move(number, w.chance(30)) })
	}
}

func (s *server) own(number int, epoch uint64) {
	s.owned[number] = epoch
	s.version++
}
