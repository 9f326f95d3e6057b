package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"net"
	"net/netip"
	"time"

	"namegate/bloomnet"
)

// Fleet makes a replica one of several that share their filters.
type Fleet struct {
	// KeyFile holds the keys of the gossip, one a line, newest first. Without it and
	// without Insecure the replica stands alone.
	KeyFile  string
	Insecure bool
	// Gossip and Transfer are the addresses to listen on; port 0 takes any free one.
	Gossip, Transfer string
	// Advertise is the address at which others reach this replica; "" for that of Gossip.
	Advertise string
	// Join are addresses of the gossip of some others.
	Join []string
	// ReplicaID is stable over restarts; "" for one that is made and kept in DataDir.
	ReplicaID string
}

// on says that the replica is one of several.
func (f Fleet) on() bool { return f.KeyFile != "" || f.Insecure }

// fleetName keeps replicas off other programs that use the same library.
const fleetName = "namegate"

// openFleet makes what the filter must know of the fleet; nil for a replica alone.
func (r *Replica) openFleet(ctx context.Context, id string) (*bloomnet.FleetOptions, error) {
	f := r.opts.Fleet
	if !f.on() {
		return nil, nil
	}
	if f.Insecure {
		r.log.Warn("filters are shared without a key: whoever reaches the ports can have names called free", "flag", "--gossip-insecure")
	}
	keys, err := f.keys()
	if err != nil {
		return nil, err
	}
	advertise, err := f.advertised()
	if err != nil {
		return nil, err
	}
	bind, err := f.bind()
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.Transfer)
	if err != nil {
		return nil, fmt.Errorf("--transfer: %w", err)
	}
	port := uint16(listener.Addr().(*net.TCPAddr).Port)
	var dialer net.Dialer
	return &bloomnet.FleetOptions{
		Replica: id, Boot: uint64(time.Now().UnixNano()), Fleet: fleetName,
		Keys: keys, Insecure: f.Insecure,
		Gossip: bind, AdvertiseGossip: netip.AddrPortFrom(advertise, 0), Join: f.Join,
		Transfer: listener, AdvertiseTransfer: netip.AddrPortFrom(advertise, port),
		Dial: func(ctx context.Context, address string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", address)
		},
	}, nil
}

// keys are derived from the lines of the key file, as gossip takes keys of certain lengths.
func (f Fleet) keys() ([][]byte, error) {
	if f.KeyFile == "" {
		return nil, nil
	}
	secrets, err := readSecrets(f.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("read gossip keys: %w", err)
	}
	if len(secrets) == 0 {
		return nil, fmt.Errorf("read gossip keys: %s is empty", f.KeyFile)
	}
	keys := make([][]byte, len(secrets))
	for i, secret := range secrets {
		if len(secret) < minGossipKey {
			return nil, fmt.Errorf("read gossip keys: line %d of %s has fewer than %d bytes", i+1, f.KeyFile, minGossipKey)
		}
		if keys[i], err = hkdf.Key(sha256.New, secret, nil, "namegate gossip 1", 32); err != nil {
			return nil, fmt.Errorf("derive a gossip key: %w", err)
		}
	}
	return keys, nil
}

// minGossipKey is how many bytes a line of the key file has at least.
const minGossipKey = 32
