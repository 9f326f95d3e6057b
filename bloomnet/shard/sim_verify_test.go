package shard_test

import (
	"errors"
	"slices"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

// verification is one comparison of a shard with a copy of its table.
type verification struct {
	n, shard int
	at       shard.Position
	table    []bloom.Hash
}

// verify compares a shard with its table. Nothing may be missing, and nothing may be
// taken for missing. A watch is of the last copy that was asked for.
func (r *replica) verify(n, number int) {
	v := &verification{n: n, shard: number}
	r.verified[number] = v
	r.do(func(c *shard.Core) { c.Watch(number) })
	r.ask(n, func(s *server) func() {
		if s.owned[number] == 0 {
			return func() {}
		}
		v.at = s.position()
		v.table = slices.Concat(s.table(number))
		return func() { r.compare(v) }
	})
}

// compare waits until the feed has been read to the position of the copy.
func (r *replica) compare(v *verification) {
	if r.verified[v.shard] != v {
		return
	}
	missed, err := r.core.Missed(v.shard, v.n, v.at, v.table)
	switch {
	case len(missed) > 0:
		r.w.fail("r%d misses %d names of shard %d as of %d", r.number, len(missed), v.shard, v.at.At)
	case errors.Is(err, shard.ErrEarly):
		r.then(r.w.between(200, 400), func() { r.compare(v) })
	case err == nil:
		r.w.verified++
	}
}
