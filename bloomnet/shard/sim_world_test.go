package shard_test

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"namegate/bloomnet/bloom"
)

const (
	simShards = 3
	simNames  = 8
	bound     = 5 * time.Second

	faultsEnd = 32 * time.Second
	// authorityBack is when every shard of every replica must be vouched for again.
	authorityBack = faultsEnd + 25*time.Second
	simEnd        = authorityBack + 8*time.Second
)

// world is one simulation.
type world struct {
	*rand.Rand
	now      time.Duration
	queue    queue
	planned  int
	servers  []*server
	replicas []*replica
	shards   []*stay
	cuts     map[[2]int]int      // pairs that cannot talk; servers count from 100
	bases    map[string]uint32   // head: checksum of its base
	images   [simShards][][]byte // that were on the way some time
	quiet    bool                // nobody writes any more

	checks, free, verified uint64
	wrong                  string
	tracing                bool
	trace                  []string
}

func newWorld(seed uint64, tracing bool) *world {
	w := &world{
		Rand: rand.New(rand.NewPCG(seed, 4)), tracing: tracing, cuts: map[[2]int]int{}, bases: map[string]uint32{},
	}
	for i := range 2 + w.IntN(2) {
		w.servers = append(w.servers, newServer(w, i))
	}
	for i := range simShards {
		home := i % len(w.servers)
		w.shards = append(w.shards, &stay{home: home, epoch: 1})
		w.servers[home].owned[i] = 1
	}
	for i := range 2 + w.IntN(3) {
		w.replicas = append(w.replicas, newReplica(w, i))
	}
	for _, r := range w.replicas {
		r.start()
	}
	w.every(50*time.Millisecond, w.checkAll)
	w.every(40*time.Millisecond, w.write)
	w.every(3*time.Second, w.flipOwners)
	w.after(2*time.Second, w.fault)
	return w
}

// run stops at the first wrong answer.
func (w *world) run() {
	w.at(faultsEnd, w.heal)
	w.at(authorityBack, w.requireAuthority)
	w.at(simEnd, w.requireForgotten)
	for w.now < simEnd && w.wrong == "" {
		e := heap.Pop(&w.queue).(event)
		w.now = e.at
		e.f()
	}
	for _, r := range w.replicas {
		r.dropChecks()
	}
}

func (w *world) at(at time.Duration, f func()) {
	w.planned++
	heap.Push(&w.queue, event{at, w.planned, f})
}

func (w *world) after(d time.Duration, f func()) { w.at(w.now+d, f) }

func (w *world) every(d time.Duration, f func()) {
	w.after(d, func() {
		w.every(d, f)
		f()
	})
}

// between is a random duration, in milliseconds.
func (w *world) between(low, high int) time.Duration {
	return time.Duration(low)*time.Millisecond + time.Duration(w.Int64N(int64(high-low)*int64(time.Millisecond)))
}

// calm says that nothing of interest is going on; there is less of all then.
func (w *world) calm() bool { return w.now > faultsEnd+5*time.Second }

func (w *world) chance(percent int) bool { return w.IntN(100) < percent }

func (w *world) log(format string, args ...any) {
	if w.tracing {
		w.trace = append(w.trace, fmt.Sprintf("%8.3f ", w.now.Seconds())+fmt.Sprintf(format, args...))
	}
}

// fail notes the first thing that must not be.
func (w *world) fail(format string, args ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf("%.3f ", w.now.Seconds()) + fmt.Sprintf(format, args...)
	}
}

// story is the end of the trace, and what was wrong.
func (w *world) story() string {
	return strings.Join(append(w.trace[max(0, len(w.trace)-400):], "wrong: "+w.wrong), "\n")
}

// nameOf gives the hashes of a world. The bits of a shard's last name in a base are those
// of its first, so that bases are wrong about it.
func nameOf(shard, name int) bloom.Hash {
	h := bloom.NewHasher(1).Sum(fmt.Sprint(shard, "/", name%(simNames-1)))
	if name == simNames-1 {
		h.Hi ^= 1 << 30
	}
	return h
}

var nameTable = func() (t [simShards][simNames]bloom.Hash) {
	for s := range simShards {
		for n := range simNames {
			t[s][n] = nameOf(s, n)
		}
	}
	return t
}()

type event struct {
	at  time.Duration
	seq int
	f   func()
}

// queue is what is to happen, the earliest first.
type queue []event

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(event)) }

func (q *queue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}
