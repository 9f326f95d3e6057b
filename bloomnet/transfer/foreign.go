package transfer

import (
	"fmt"
	"sync"
)

// maxForeign is how many foreign peers are remembered; of more nothing is told.
const maxForeign = 1024

// foreigners tells of each foreign peer once.
type foreigners struct {
	report func(error)
	mu     sync.Mutex
	told   map[string]bool // guarded by mu
}

func (f *foreigners) tell(peer *MismatchError) {
	f.mu.Lock()
	name := fmt.Sprint(peer.Version, peer.Fingerprint, peer.Replica)
	known := f.told[name] || len(f.told) >= maxForeign
	if !known {
		f.told[name] = true
	}
	f.mu.Unlock()
	if !known {
		f.report(peer)
	}
}
