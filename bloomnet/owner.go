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
	candidates := n.fleet.candidates(time.Now())
	return func(number int) bool { return owner(candidates, number) == n.fleet.options.Replica }
}

// candidates are the replicas that may own shards: those that are ready or will soon be
// back or, while there are none yet, all that are not about to leave.
func (f *fleet) candidates(now time.Time) []string {
	view := f.cluster.View()
	var settled, all []string
	for _, m := range view.Members {
		switch {
		case m.Foreign:
		case m.State == member.Joining:
			all = append(all, m.Replica)
		default:
			settled, all = append(settled, m.Replica), append(all, m.Replica)
		}
	}
	for _, d := range view.Departed {
		if d.Left() && !d.Foreign && now.Sub(d.At) < holdDown {
			settled = append(settled, d.Replica)
		}
	}
	if len(settled) > 0 {
		return settled
	}
	return all
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
