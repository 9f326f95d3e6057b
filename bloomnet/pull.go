package bloomnet

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"namegate/bloomnet/member"
	"namegate/bloomnet/shard"
	"namegate/bloomnet/transfer"
)

const (
	// pullInterval is how often a replica looks for newer bases.
	pullInterval = 500 * time.Millisecond
	// pullsAtOnce bounds the memory of images on their way.
	pullsAtOnce = 8
)

// pull gets newer bases from those that have them.
func (f *fleet) pull(ctx context.Context) {
	select {
	case <-f.cluster.Joined(): // and what the others have is known
	case <-ctx.Done():
	}
	for more := ctx.Err() == nil; more; more = f.pauseFor(ctx, pullInterval) {
		own, _ := f.own(ctx)
		members := f.others()
		var pulls errgroup.Group
		pulls.SetLimit(pullsAtOnce)
		for number, have := range own {
			newest, holders := f.heads.best(members, number)
			if newest.newer(have) && ctx.Err() == nil {
				pulls.Go(func() error {
					f.pullOne(ctx, number, have, holders)
					return nil
				})
			}
		}
		_ = pulls.Wait() // none fails
	}
}

// others are the replicas but for this one.
func (f *fleet) others() []member.Member {
	var list []member.Member
	for _, m := range f.cluster.View().Members {
		if m.Replica != f.options.Replica && !m.Foreign {
			list = append(list, m)
		}
	}
	return list
}

// pullOne gets the image of a shard. What goes wrong is tried again in the next round.
func (f *fleet) pullOne(ctx context.Context, number int, have summary, holders []member.Member) {
	addresses := make([]string, len(holders))
	for i, m := range holders {
		addresses[i] = m.Transfer.String()
	}
	blob, err := f.puller.Pull(ctx, addresses, uint32(number), appendSummary(nil, have))
	if err == nil {
		err = f.take(ctx, number, blob.Data)
	}
	switch {
	case err == nil, ctx.Err() != nil:
	case errors.Is(err, transfer.ErrNotHeld), errors.Is(err, transfer.ErrNotNewer):
		f.heads.drop(holders, number)
	default:
		f.log.Warn("an image cannot be had of another replica", "shard", number, "cause", err)
	}
}

// take installs an image that another replica gave.
func (f *fleet) take(ctx context.Context, number int, data []byte) error {
	var positions []shard.Position
	f.do(ctx, func(c *shard.Core) { positions = c.Positions() })
	of, m, err := shard.Decode(data, numbering(f.identities(positions)))
	if err != nil {
		return err
	}
	if of != number {
		return shard.ErrEncoding
	}
	f.install(ctx, number, m)
	f.stats.Pulled.Add(1)
	return nil
}
