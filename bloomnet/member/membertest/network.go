package membertest

import (
	"math/rand/v2"
	"net/netip"
	"sync"
	"time"
)

// Linger is longer than any goroutine of memberlist's outlives its end. A bubble must let
// it pass after the last Close: time stands still when the bubble's function has returned.
const Linger = time.Minute

// Faults are what happens to packets. Streams only suffer from partitions.
type Faults struct {
	Loss   float64 // the share that is lost
	Repeat float64 // the share that comes twice
	// Packets take from nothing to this long, so that they overtake each other.
	Delay time.Duration
	// Blocked loses all packets; streams go through.
	Blocked bool
}

// Network connects transports. Use New.
type Network struct {
	mu         sync.Mutex // guards all below
	random     *rand.Rand
	faults     Faults
	transports map[netip.AddrPort]*Transport
	sides      map[netip.AddrPort]int
	last       byte
}

// New gives a network without faults, whose chances come from the seed.
func New(seed uint64) *Network {
	return &Network{
		random:     rand.New(rand.NewPCG(seed, 0)),
		transports: map[netip.AddrPort]*Transport{},
		sides:      map[netip.AddrPort]int{},
	}
}

// SetFaults changes what happens to packets sent from then on.
func (n *Network) SetFaults(f Faults) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faults = f
}

// Part lets only those addresses reach each other that are in the same group; those in
// none are one group, too. Part with no group heals all.
func (n *Network) Part(groups ...[]netip.AddrPort) {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.sides)
	for i, group := range groups {
		for _, address := range group {
			n.sides[address] = i + 1
		}
	}
}

// port is that of all transports.
const port = 7946

// Transport gives one at an address that is not in use.
func (n *Network) Transport() *Transport {
	n.mu.Lock()
	n.last++
	address := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, n.last}), port)
	n.mu.Unlock()
	return n.At(address)
}

// At gives a transport at an address, in place of one that was there.
func (n *Network) At(address netip.AddrPort) *Transport {
	n.mu.Lock()
	defer n.mu.Unlock()
	t := newTransport(n, address)
	n.transports[address] = t
	return t
}

// reach gives the transport at an address, as seen from another.
func (n *Network) reach(from, to netip.AddrPort) (*Transport, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	t, ok := n.transports[to]
	return t, ok && n.sides[from] == n.sides[to]
}

// fates are the delays after which a packet arrives; of a lost one there are none.
func (n *Network) fates() []time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.faults.Blocked || n.random.Float64() < n.faults.Loss {
		return nil
	}
	fates := []time.Duration{n.delay()}
	if n.random.Float64() < n.faults.Repeat {
		fates = append(fates, n.delay())
	}
	return fates
}

func (n *Network) delay() time.Duration {
	if n.faults.Delay == 0 {
		return 0
	}
	return time.Duration(n.random.Int64N(int64(n.faults.Delay)))
}
