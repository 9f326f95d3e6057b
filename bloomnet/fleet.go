package bloomnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/hashicorp/memberlist"

	"namegate/bloomnet/member"
	"namegate/bloomnet/transfer"
)

// FleetOptions make a replica one of a fleet.
type FleetOptions struct {
	// Replica is the replica's id, stable over restarts; Boot is greater at each start.
	Replica string
	Boot    uint64
	// Fleet is the name by which replicas of one fleet know one another.
	Fleet string
	// Keys are those of the gossip, the first one in use, each of 16, 24 or 32 bytes. Keys
	// of the transfers are derived from them. Insecure allows that there are none.
	Keys     [][]byte
	Insecure bool
	// Gossip is where to listen for gossip, AdvertiseGossip where others reach it, and Join
	// some addresses of others.
	Gossip, AdvertiseGossip netip.AddrPort
	Join                    []string
	// Transfer is the listener for those who pull images, which the fleet closes;
	// AdvertiseTransfer is where others reach it.
	Transfer          net.Listener
	AdvertiseTransfer netip.AddrPort
	// Dial reaches the transfer listeners of others.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	// Transport replaces the sockets of the gossip, for tests; nil: sockets.
	Transport memberlist.NodeAwareTransport
}

// wireVersion is of the messages and images that replicas exchange.
const wireVersion = 1

// fleet is the part of a Net that deals with other replicas.
type fleet struct {
	*Net
	options FleetOptions
	cluster *member.Cluster
	puller  *transfer.Puller
	server  *transfer.Server
	heads   heads
	gifts   gifts
	outbox  chan hint
}

// insecureSecret keeps transfers in one form where there is no secret. It protects nothing.
var insecureSecret = []byte("there is no key here")

// newFleet makes what need not be started.
func newFleet(n *Net, o FleetOptions) (*fleet, error) {
	f := &fleet{Net: n, options: o, heads: newHeads(n.options.Shards), gifts: newGifts(), outbox: make(chan hint, hintsWaiting)}
	secrets := o.Keys
	if o.Insecure && len(secrets) == 0 {
		secrets = [][]byte{insecureSecret}
	}
	identity, err := transfer.NewIdentity(secrets...)
	if err != nil {
		return nil, fmt.Errorf("derive keys of transfers: %w", err)
	}
	self := transfer.Self{Identity: identity, Fingerprint: n.options.Fingerprint, Replica: o.Replica}
	pulls := transfer.DefaultPullerOptions()
	pulls.Dial, pulls.Random = o.Dial, n.options.Random
	if f.puller, err = transfer.NewPuller(self, pulls); err != nil {
		return nil, err
	}
	sends := transfer.DefaultServerOptions()
	sends.Report = func(err error) { n.log.Warn("transfer", "cause", err) }
	f.server, err = transfer.NewServer(self, f.open, sends)
	return f, err
}

// start joins the fleet.
func (f *fleet) start(ctx context.Context) error {
	o := f.options
	cluster, err := member.Start(ctx, member.Options{
		Replica: o.Replica, Boot: o.Boot, Cluster: o.Fleet, Version: wireVersion, Fingerprint: member.Fingerprint(f.Net.options.Fingerprint),
		Keys: o.Keys, Insecure: o.Insecure, Bind: o.Gossip, Advertise: o.AdvertiseGossip, Transfer: o.AdvertiseTransfer, Join: o.Join,
		Gossiped: f.gossiped, Sent: f.hinted, Digest: f.heads.digest, MergeDigest: f.digested,
		Log: f.Net.options.Logger, Transport: o.Transport,
	})
	if err != nil {
		return fmt.Errorf("join the fleet: %w", err)
	}
	f.cluster = cluster
	f.log.Info("filters are shared", "replica", o.Replica, "gossip", cluster.Address(), "transfer", o.AdvertiseTransfer)
	f.running.Go(func() {
		if err := f.server.Serve(ctx, o.Transfer); err != nil {
			f.log.Error("images cannot be given to others", "cause", err)
		}
	})
	f.running.Go(func() { f.announce(ctx) })
	f.running.Go(func() { f.pull(ctx) })
	f.running.Go(func() { f.sendHints(ctx) })
	return nil
}

// leaveTimeout bounds a leave that was asked for.
const leaveTimeout = 5 * time.Second

// leave tells the others, so that they wait for this replica's return before they do what
// is its to do.
func (f *fleet) leave() error {
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	f.puller.Close()
	return errors.Join(f.cluster.Leave(ctx), f.cluster.Close())
}
