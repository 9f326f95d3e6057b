package app

import (
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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

// Validate returns all that is wrong, joined.
func (f Fleet) Validate() error {
	if f.ReplicaID != "" && !replicaIDs.MatchString(f.ReplicaID) {
		return errors.New("--replica-id must be 1 to 32 of a-z A-Z 0-9 . _ -, and must not begin with a dot")
	}
	if !f.on() {
		if len(f.Join) > 0 {
			return errors.New("--join needs --gossip-key-file, the same on all replicas (or, on a network that nobody else reaches, --gossip-insecure)")
		}
		return nil
	}
	_, unbound := f.bind()
	_, unreachable := f.advertised()
	return errors.Join(unbound, unreachable, checkAddress("--transfer", f.Transfer))
}

// replicaIDs are those that may be given. One is part of a path.
var replicaIDs = regexp.MustCompile(`^[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,31}$`)

// advertised is the address that others are told.
func (f Fleet) advertised() (netip.Addr, error) {
	host := f.Advertise
	if host == "" {
		host, _, _ = net.SplitHostPort(f.Gossip)
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.IsUnspecified() {
		return netip.Addr{}, errors.New("--advertise must be the IP address at which others reach this replica, unless --gossip is bound to it")
	}
	return addr.Unmap(), nil
}

// fleetName keeps replicas off other programs that use the same library.
const fleetName = "namegate"

// openFleet makes what the filter must know of the fleet; nil for a replica alone.
func (r *Replica) openFleet(ctx context.Context, id string) (*bloomnet.FleetOptions, error) {
	f := r.opts.Fleet
	if !f.on() {
		return nil, nil
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

// bind is the address of Gossip; without a host it is all of the machine's.
func (f Fleet) bind() (netip.AddrPort, error) {
	address := f.Gossip
	if strings.HasPrefix(address, ":") {
		address = netip.IPv4Unspecified().String() + address
	}
	bind, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.AddrPort{}, errors.New("--gossip must be IP:PORT or :PORT")
	}
	return bind, nil
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

// replicaID is the one given, or the one in the data folder, which is made when missing.
func (r *Replica) replicaID() (string, error) {
	if r.opts.Fleet.ReplicaID != "" {
		return r.opts.Fleet.ReplicaID, nil
	}
	if err := makeDataDir(r.opts.DataDir); err != nil {
		return "", err
	}
	path := filepath.Join(r.opts.DataDir, "replica-id")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text = []byte(rand.Text())
		err = os.WriteFile(path, text, 0o644)
	}
	id := strings.TrimSpace(string(text))
	if err == nil && !replicaIDs.MatchString(id) {
		err = fmt.Errorf("%s holds no replica id", path)
	}
	return id, err
}
