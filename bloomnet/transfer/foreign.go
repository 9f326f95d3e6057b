package transfer

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
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

// isDamage tells what a peer should not have sent from connections that ended. TLS finds
// what was changed on its way, and says so as an alert of its own.
func isDamage(err error) bool {
	alert := (*net.OpError)(nil)
	record := tls.RecordHeaderError{}
	return errors.Is(err, ErrDamaged) || errors.As(err, &record) || errors.As(err, &alert) && alert.Op == "local error"
}
