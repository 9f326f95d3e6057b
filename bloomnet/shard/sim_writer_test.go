package shard_test

import (
	"time"

	"namegate/bloomnet/shard"
)

type nameState int

const (
	isFree nameState = iota
	isReserved
	isLasting
)

// name is what is there in truth, visible to all.
type name struct {
	state  nameState
	since  time.Duration // there without a break
	locked bool
}

// stay is a shard in truth: its names, and which database has it.
type stay struct {
	names   [simNames]name
	home    int
	epoch   uint64
	frozen  bool
	writers int // transactions that hold the fence
	builds  uint64
}

// transaction changes names of one shard.
type transaction struct {
	w        *world
	s        *server
	shard    int
	xid      uint64
	restarts int
	changed  map[int]nameState
	order    []int // of changed
}

// write begins a transaction. Its rows are written later than its xid is given out, and
// become visible later still.
func (w *world) write() {
	number := w.IntN(simShards)
	st := w.shards[number]
	s := w.servers[st.home]
	if w.quiet || st.frozen || s.down || w.chance(40) || w.calm() && w.chance(60) {
		return
	}
	st.writers++
	t := &transaction{w: w, s: s, shard: number, xid: s.begin(), restarts: s.restarts, changed: map[int]nameState{}}
	lasts := w.between(10, 60)
	if w.chance(4) && w.now < faultsEnd {
		lasts = w.between(2000, 7000)
	}
	w.after(time.Duration(w.Int64N(int64(lasts))), func() {
		for range 1 + w.IntN(2) {
			t.change(w.IntN(simNames))
		}
	})
	w.after(lasts, t.end)
}

func (t *transaction) alive() bool { return t.s.restarts == t.restarts }

// change does to a name what its state allows: it may come, become lasting, be taken over
// while it runs out, or go.
func (t *transaction) change(i int) {
	st := t.w.shards[t.shard]
	n := &st.names[i]
	state, mine := t.changed[i]
	if !t.alive() || n.locked && !mine {
		return
	}
	if !mine {
		state = n.state
		t.order = append(t.order, i)
	}
	n.locked = true
	to, change := t.turn(state)
	t.changed[i] = to
	t.s.feed = append(t.s.feed, &row{xid: t.xid, at: t.w.now, event: shard.Event{
		Shard: t.shard, Epoch: st.epoch, Hash: nameTable[t.shard][i], Change: change, Reserved: to == isReserved,
	}})
	t.hint(i)
}

func (t *transaction) turn(state nameState) (nameState, shard.Change) {
	if state == isFree {
		return t.w.anyOf(isReserved, isReserved, isLasting), shard.Came
	}
	if t.w.chance(45) {
		return isFree, shard.Went
	}
	return t.w.anyOf(isReserved, isLasting, isLasting), shard.Altered
}

func (w *world) anyOf(states ...nameState) nameState { return states[w.IntN(len(states))] }

// hint tells some replica, seldom, as hints would hide what is missed.
func (t *transaction) hint(i int) {
	if r := t.w.replicas[t.w.IntN(len(t.w.replicas))]; t.w.chance(10) && r.up() {
		r.view.Hint(nameTable[t.shard][i])
	}
}

func (t *transaction) end() {
	st := t.w.shards[t.shard]
	st.writers--
	for _, i := range t.order {
		st.names[i].locked = false
	}
	if !t.alive() {
		return
	}
	commit := !t.w.chance(10)
	t.s.end(t.xid, commit)
	for _, i := range t.order {
		t.w.log("%s commit=%v shard %d name %d is %d, xid %d", t.s.name(), commit, t.shard, i, t.changed[i], t.xid)
		if commit {
			st.names[i].become(t.changed[i], t.w.now)
		}
	}
}

func (n *name) become(state nameState, now time.Duration) {
	if n.state == isFree {
		n.since = now
	}
	n.state = state
}
