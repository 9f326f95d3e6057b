package bloomnet_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// troubled is a fleet to which all sorts of things happen.
type troubled struct {
	*rand.Rand
	t     *testing.T
	wires *wires
	d     *fakeDatabase
	fleet []replica
	away  []string // ids of those that are not there
}

// join starts one that is away.
func (f *troubled) join() {
	if len(f.away) == 0 {
		return
	}
	i := f.IntN(len(f.away))
	r := f.wires.join(f.t, f.away[i], fingerprint, f.fleet, f.d)
	f.away, f.fleet = slices.Delete(f.away, i, i+1), append(f.fleet, r)
}

// leave is on purpose, at the worst moment.
func (f *troubled) leave() {
	if len(f.fleet) > 1 {
		i := f.IntN(len(f.fleet))
		stop(f.fleet[i].Net)
		f.away = append(f.away, f.fleet[i].id)
		f.fleet = slices.Delete(f.fleet, i, i+1)
	}
}

func (f *troubled) fault() {
	switch f.IntN(8) {
	case 0, 1:
		f.leave()
	case 2, 3:
		f.d.restore()
	case 4:
		f.wires.cutOff(f.IntN(2) == 0)
	case 5:
		f.wires.gossip.Part([]netip.AddrPort{f.fleet[f.IntN(len(f.fleet))].gossip})
	case 6:
		f.d.fail(errAway)
	case 7:
		f.join()
	}
}

func (f *troubled) heal() {
	f.wires.cutOff(false)
	f.wires.gossip.Part()
	f.d.fail(nil)
}

// Whatever has happened, and in whatever combination: soon after the last fault each
// replica vouches for all shards.
func TestAuthorityComesBack(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			bubble(t, func(t *testing.T, w *wires, d *fakeDatabase) {
				f := &troubled{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, wires: w, d: d, away: []string{"a", "b", "c", "d", "e"}}
				for range 3 {
					f.join()
				}
				pass(time.Duration(f.IntN(100)) * time.Second)
				for range 1 + f.IntN(10) {
					f.fault()
					pass(time.Duration(f.IntN(30_000)) * time.Millisecond)
				}
				f.heal()
				pass(authorityBack)
				for _, r := range f.fleet {
					requireVouched(t, r.Net)
				}
			})
		})
	}
}
