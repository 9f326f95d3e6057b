package bloomnet

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
	"namegate/bloomnet/snapshot"
)

// Options set a Net up.
type Options struct {
	Shards  int
	Sources []Source
	// Staleness is how old the bits may be of which a check says that a name is free.
	Staleness time.Duration
	Clock     func() shard.Instant
	// VerifyEvery is how long it takes to compare all shards with their tables once.
	VerifyEvery time.Duration
	// Random spreads what replicas do at the same times.
	Random func() float64
	// Fingerprint is of what makes filters the same: seed, parameters, form of names. Files
	// and replicas of another one are of no use.
	Fingerprint [8]byte
	// Files keep what a replica knows over its restarts; nil: nothing does.
	Files *snapshot.Folder
	// Fleet is nil for a replica that stands alone.
	Fleet *FleetOptions
	// Topics are given what other replicas Broadcast on them, up to MaxTopic, one payload
	// at a time, maybe before Start has returned. What is on no topic here is ignored. They
	// must not wait, nor change a payload.
	Topics map[uint8]func(payload []byte)
	Logger *slog.Logger
}

// Net is one replica's share in the filter.
type Net struct {
	options Options
	log     *slog.Logger
	core    *shard.Core
	view    *shard.View
	hints   *shard.Hints
	work    chan func() // of the goroutine that the core belongs to
	fleet   *fleet      // nil when alone
	closed  <-chan struct{}
	stats   Stats

	stop    context.CancelFunc
	running sync.WaitGroup
}

const (
	// hintLimit is how many hints a replica remembers in one generation.
	hintLimit = 1 << 20
	// hintLife is one generation of hints: longer than any transaction of a writer.
	hintLife = 30 * time.Second
)

// Start takes what the files hold, and begins to read the databases and to build what is
// missing. Nothing waits for these: until a shard is vouched for, its checks are Unknown. It
// fails when the fleet's ports or keys are of no use, or ctx ends before the files are read,
// and then leaves nothing open. What is started does not end with ctx.
func Start(ctx context.Context, o Options) (*Net, error) {
	starting := ctx
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	n := &Net{
		options: o, log: o.Logger.With("component", "bloomnet"), hints: shard.NewHints(hintLimit),
		work: make(chan func()), closed: ctx.Done(), stop: stop,
	}
	n.core = shard.New(shard.Options{
		Shards: o.Shards, Databases: len(o.Sources), Bound: o.Staleness, Clock: o.Clock, Hints: n.hints,
	})
	n.view = n.core.View()
	if err := n.load(starting); err != nil {
		stop()
		return nil, err
	}
	n.running.Go(func() { n.serve(ctx) })
	if o.Files != nil {
		n.running.Go(func() { n.keep(ctx) })
	}
	if o.Fleet != nil {
		if err := n.startFleet(ctx, *o.Fleet); err != nil {
			stop()
			n.running.Wait()
			return nil, err
		}
	}
	for i := range o.Sources {
		n.running.Go(func() { n.follow(ctx, i) })
		n.running.Go(func() { n.build(ctx, i) })
		n.running.Go(func() { n.verify(ctx, i) })
	}
	return n, nil
}

// Close saves what is known, tells the others, both while ctx lasts, and ends all that Start
// began.
func (n *Net) Close(ctx context.Context) {
	if n.options.Files != nil {
		n.save(ctx)
	}
	if n.fleet != nil {
		if err := n.fleet.leave(ctx); err != nil {
			n.log.Warn("leave the fleet", "cause", err)
		}
	}
	n.stop()
	n.running.Wait()
}

// serve is the goroutine that the core belongs to.
func (n *Net) serve(ctx context.Context) {
	age := time.NewTicker(hintLife)
	defer age.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-age.C:
			n.hints.Age()
		case f := <-n.work:
			f()
		}
	}
}

// do runs f on the core's goroutine, and waits for it; false when the Net is closed.
func (n *Net) do(ctx context.Context, f func(*shard.Core)) bool {
	done := make(chan struct{})
	select {
	case <-ctx.Done():
		return false
	case <-n.closed:
		return false
	case n.work <- func() { defer close(done); f(n.core) }:
		<-done
		return true
	}
}

// Check looks a name up. It may be called by any number of goroutines, and takes no lock.
func (n *Net) Check(shard int, name bloom.Hash) (shard.Standing, shard.Instant) {
	return n.view.Check(shard, name)
}

// Vouched says whether a check of a shard may say that a name is free, at this moment.
func (n *Net) Vouched(shard int) bool { return n.view.Vouched(shard) }

// Gossip is where others reach this replica's gossip; the zero value when it stands alone.
func (n *Net) Gossip() netip.AddrPort {
	if n.fleet == nil {
		return netip.AddrPort{}
	}
	return n.fleet.cluster.Address()
}

// pauseFor waits for about d, so that replicas do not act in step; false when the Net is closed.
func (n *Net) pauseFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d/2 + time.Duration(n.options.Random()*float64(d)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
