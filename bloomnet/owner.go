package bloomnet

import (
	"time"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/member"
)

// holdDown is for how long a replica that left on purpose keeps its shards: a planned
// restart then moves nothing.
const holdDown = 2 * time.Minute

// ownership says, as the fleet is at this moment, whether this replica does what need be done
// once for a shard. Replicas whose views of the fleet differ may both think so, or neither,
// for a while; that is safe.
func (n *Net) ownership() func(number int) bool {
	if n.fleet == nil {
		return func(int) bool { return true }
	}
	candidates := candidates(n.fleet.cluster.View(), time.Now())
	return func(number int) bool { return owner(candidates, number) == n.fleet.options.Replica }
}

// mending says whether this replica is to build a shard of which it has no image. It waits
// for one that others tell of, but not for those that have left: theirs has gone with them.
func (n *Net) mending() func(number int) bool {
	if n.fleet == nil {
		return func(int) bool { return true }
	}
	f, now := n.fleet, time.Now()
	select {
	case <-f.cluster.Joined():
	default:
		return func(int) bool { return false } // what the others have is not known yet
	}
	others, there := f.others(), there(f.cluster.View())
	return func(number int) bool {
		mine := owner(there, number) == f.options.Replica
		if _, holders := f.heads.best(others, number); len(holders) == 0 {
			return mine
		}
		return f.troubles.lasts(number, now, patienceOf(mine))
	}
}

// candidates are the replicas that may own shards: those that are there or will soon be
// back.
func candidates(view *member.View, now time.Time) []string {
	list := settled(view.Members, func(m member.Member) bool { return m.State != member.Joining })
	for _, d := range view.Departed {
		if d.Left() && !d.Foreign && now.Sub(d.At) < holdDown {
			list = append(list, d.Replica)
		}
	}
	if len(list) > 0 {
		return list
	}
	return there(view)
}

// there are the replicas that are ready or, while there are none yet, all that are not about
// to leave.
func there(view *member.View) []string {
	if ready := settled(view.Members, func(m member.Member) bool { return m.State == member.Ready }); len(ready) > 0 {
		return ready
	}
	return settled(view.Members, func(m member.Member) bool { return m.State != member.Draining })
}

// settled are the ids of the members in some states.
func settled(members []member.Member, in func(member.Member) bool) (list []string) {
	for _, m := range members {
		if !m.Foreign && in(m) {
			list = append(list, m.Replica)
		}
	}
	return list
}

// owner is the replica with the highest weight for a shard, by rendezvous hashing (Thaler,
// Ravishankar 1998): a replica that comes or goes moves only what is its own.
func owner(replicas []string, number int) (best string) {
	var highest uint64
	for _, id := range replicas {
		if w := weight(id, number); best == "" || w > highest || w == highest && id < best {
			best, highest = id, w
		}
	}
	return best
}

// weight is a hash of both. Replicas of different releases must agree on it.
func weight(id string, number int) uint64 { return bloom.NewHasher(uint64(number)).Sum(id).Lo }
