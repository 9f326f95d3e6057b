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

	troubles   troubles
	complaints complaints
	stopPulls  context.CancelFunc
}

// insecureSecret keeps transfers in one form where there is no secret. It protects nothing.
var insecureSecret = []byte("there is no key here")

// startFleet joins the fleet. When it fails the listener is closed.
func (n *Net) startFleet(ctx context.Context, o FleetOptions) error {
	f := &fleet{
		Net: n, options: o, heads: newHeads(n.options.Shards), gifts: newGifts(), outbox: make(chan hint, hintsWaiting),
		troubles: troubles{of: map[int]trouble{}}, complaints: complaints{log: n.log, met: map[complaint]time.Time{}},
	}
	err := f.prepare()
	if err == nil {
		err = f.join(ctx)
	}
	if err != nil {
		return errors.Join(err, o.Transfer.Close())
	}
	n.fleet = f
	f.running.Go(func() {
		if err := f.server.Serve(ctx, o.Transfer); err != nil {
			f.log.Error("images cannot be given to others", "cause", err)
		}
	})
	f.running.Go(func() { f.announce(ctx) })
	pulling, stopPulls := context.WithCancel(ctx)
	f.stopPulls = stopPulls
	f.running.Go(func() { f.pull(pulling) })
	f.running.Go(func() { f.sendHints(ctx) })
	return nil
}

// prepare makes both ends of transfers.
func (f *fleet) prepare() error {
	secrets := f.options.Keys
	if f.options.Insecure && len(secrets) == 0 {
		secrets = [][]byte{insecureSecret}
	}
	identity, err := transfer.NewIdentity(secrets...)
	if err != nil {
		return fmt.Errorf("derive keys of transfers: %w", err)
	}
	self := transfer.Self{Identity: identity, Fingerprint: f.Net.options.Fingerprint[:], Replica: f.options.Replica}
	sends := transfer.DefaultServerOptions()
	sends.Report = func(err error) { f.log.Warn("transfer", "cause", err) }
	if f.server, err = transfer.NewServer(self, f.open, sends); err != nil {
		return err
	}
	pulls := transfer.DefaultPullerOptions()
	pulls.Dial, pulls.Random = f.options.Dial, f.Net.options.Random
	f.puller, err = transfer.NewPuller(self, pulls)
	return err
}

// join begins the membership.
func (f *fleet) join(ctx context.Context) (err error) {
	o := f.options
	f.cluster, err = member.Start(ctx, member.Options{
		Replica: o.Replica, Boot: o.Boot, Cluster: o.Fleet, Version: wireVersion, Fingerprint: f.Net.options.Fingerprint,
		Keys: o.Keys, Insecure: o.Insecure, Bind: o.Gossip, Advertise: o.AdvertiseGossip, Transfer: o.AdvertiseTransfer, Join: o.Join,
		Gossiped: f.gossiped, Sent: f.hinted, Digest: f.heads.digest, MergeDigest: f.digested,
		Log: f.Net.options.Logger, Transport: o.Transport,
	})
	if err != nil {
		f.puller.Close()
		return fmt.Errorf("join the fleet: %w", err)
	}
	f.log.Info("filters are shared", "replica", o.Replica, "gossip", f.cluster.Address(), "transfer", o.AdvertiseTransfer)
	return nil
}

// leaveTimeout bounds a leave that was asked for.
const leaveTimeout = 5 * time.Second

// leave tells the others, so that they wait for this replica's return before they do what
// is its to do.
func (f *fleet) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	f.stopPulls()
	f.puller.Close()
	return errors.Join(f.cluster.Leave(ctx), f.cluster.Close())
}
