package member

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"

	"github.com/hashicorp/memberlist"
)

// Options of a replica's membership. Everything is required unless it says otherwise.
type Options struct {
	// Replica is the replica's id, stable over restarts: 1 to 32 of a-z A-Z 0-9 . _ -
	Replica string
	// Boot is greater at each start of the replica, such as the wall clock's nanoseconds.
	Boot uint64
	// Cluster keeps clusters apart that come upon each other's addresses, which are used
	// again: 1 to 64 printable ASCII characters. Other clusters' packets are dropped unread.
	Cluster string
	// Version is of what the messages mean, and of their form. It goes up with each change.
	Version uint8
	// Fingerprint is of what the shared data is made of.
	Fingerprint Fingerprint

	// Keys encrypt all traffic (AES-GCM, 16, 24 or 32 bytes each). The first one encrypts,
	// all decrypt: a new key is added last everywhere, then moved to the front everywhere,
	// then the old one is taken away. Who has a key can do anything to the cluster.
	Keys [][]byte
	// Insecure allows that there are no keys: whoever reaches the port is then a member.
	Insecure bool

	// Bind is where to listen, TCP and UDP; port 0 takes a free one.
	Bind netip.AddrPort
	// Advertise is where the others reach it. Unset: Bind, which must then be of one
	// interface. Port 0: that of Bind.
	Advertise netip.AddrPort
	// Transfer is the address of the transfer listener, told to the others.
	Transfer netip.AddrPort
	// Join has addresses (host:port) of some replicas of the cluster; names are resolved
	// at each attempt. May be empty.
	Join []string

	// The handlers that follow may be called before Start has returned.

	// Gossiped is given what others Broadcast.
	Gossiped func(context.Context, Message)
	// Sent is given what others SendAll.
	Sent func(context.Context, Message)
	// Digest gives what this replica has, at most MaxDigest bytes that nobody changes any
	// more. It is called while another replica waits, so it only returns what is prepared.
	Digest func() []byte
	// MergeDigest is given a digest of another replica, as its payload.
	MergeDigest func(context.Context, Message)

	// Log may be nil.
	Log *slog.Logger
	// Lookup resolves a host of Join, several at once; nil: the system's resolver, A and AAAA.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Transport replaces the sockets at Bind, for tests; nil: sockets.
	Transport memberlist.NodeAwareTransport
}

const maxCluster = 64

var (
	errNoKeys    = errors.New("a gossip key, or the explicit permission to do without")
	errKeys      = errors.New("keys, or the permission to do without, not both")
	errCluster   = errors.New("a cluster's label is 1 to 64 printable ASCII characters")
	errAdvertise = errors.New("an address to advertise, as the one bound is of all interfaces")
	errTransfer  = errors.New("an address of the transfer listener that others can reach")
	errBind      = errors.New("an address to bind")
	errHandlers  = errors.New("all four handlers")
)

// validate names all that is wrong at once.
func (o *Options) validate() error {
	errs := []error{checkReplica(o.Replica), o.checkKeys(), o.checkAddresses()}
	if len(o.Cluster) < 1 || len(o.Cluster) > maxCluster || !printable(o.Cluster) {
		errs = append(errs, errCluster)
	}
	if o.Gossiped == nil || o.Sent == nil || o.Digest == nil || o.MergeDigest == nil {
		errs = append(errs, errHandlers)
	}
	for _, address := range o.Join {
		if _, _, err := splitAddress(address); err != nil {
			errs = append(errs, fmt.Errorf("address to join: %w", err))
		}
	}
	return errors.Join(errs...)
}

func (o *Options) checkKeys() error {
	switch {
	case len(o.Keys) == 0 && !o.Insecure:
		return errNoKeys
	case len(o.Keys) > 0 && o.Insecure:
		return errKeys
	}
	for _, key := range o.Keys {
		if err := memberlist.ValidateKey(key); err != nil {
			return fmt.Errorf("gossip key: %w", err)
		}
	}
	return nil
}

func (o *Options) checkAddresses() error {
	var errs []error
	if o.Transport == nil && !o.Bind.IsValid() {
		errs = append(errs, errBind)
	}
	if o.Transport == nil && o.Bind.Addr().IsUnspecified() && !o.Advertise.IsValid() {
		errs = append(errs, errAdvertise)
	}
	if t := o.Transfer; !t.IsValid() || t.Addr().IsUnspecified() || t.Addr().Zone() != "" || t.Port() == 0 {
		errs = append(errs, errTransfer)
	}
	return errors.Join(errs...)
}

// defaults fills in what may be left out.
func (o *Options) defaults() {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Lookup == nil {
		o.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	o.Transfer = netip.AddrPortFrom(o.Transfer.Addr().Unmap(), o.Transfer.Port())
}

func printable(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}
