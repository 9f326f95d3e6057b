package bloomnet

import (
	"context"
	"errors"
	"strings"
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

// pull gets newer bases from those that have them, until the replica leaves.
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
		for _, w := range f.wanted(own, members, time.Now()) {
			pulls.Go(func() error {
				f.pullOne(ctx, w, own[w.number])
				return nil
			})
		}
		_ = pulls.Wait() // none fails
	}
}

// want is a shard of which some others have a newer base.
type want struct {
	number  int
	holders []member.Member
}

// wanted are the shards that are to be pulled now.
func (f *fleet) wanted(own []summary, members []member.Member, now time.Time) (list []want) {
	for number, have := range own {
		switch newest, holders := f.heads.best(members, number); {
		case !newest.newer(have):
			f.troubles.end(number)
		case f.troubles.begin(number, now):
			list = append(list, want{number, holders})
		}
	}
	return list
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

// pullOne gets the image of a shard. What goes wrong is tried again later.
func (f *fleet) pullOne(ctx context.Context, w want, have summary) {
	if ctx.Err() != nil {
		return
	}
	addresses := make([]string, len(w.holders))
	for i, m := range w.holders {
		addresses[i] = m.Transfer.String()
	}
	blob, err := f.puller.Pull(ctx, addresses, uint32(w.number), appendSummary(nil, have))
	refused := error(nil)
	if err == nil {
		refused = f.take(ctx, w.number, blob.Data)
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		f.failed(w, err)
	case refused != nil:
		f.refused(w, refused)
	default:
		f.troubles.succeed(w.number, time.Now())
	}
}

// failed notes what became of a pull of which nothing came.
func (f *fleet) failed(w want, err error) {
	f.troubles.fail(w.number, time.Now())
	pulled, ok := errors.AsType[*transfer.PullError](err)
	if !ok {
		return
	}
	for _, m := range w.holders {
		_, busy := errors.AsType[*transfer.BusyError](pulled.Reasons[m.Transfer.String()])
		switch reason := pulled.Reasons[m.Transfer.String()]; {
		case errors.Is(reason, transfer.ErrNotHeld), errors.Is(reason, transfer.ErrNotNewer):
			f.heads.drop(m, w.number)
		case !busy:
			f.complaints.add(m.Replica, reason, time.Now())
		}
	}
}

// refused notes that an image is of no use. It may be one of a moment ago, so that the next
// one will do.
func (f *fleet) refused(w want, err error) {
	f.troubles.fail(w.number, time.Now())
	passing := errors.Is(err, shard.ErrEarly) || errors.Is(err, shard.ErrForeign) || errors.Is(err, shard.ErrUnknownDatabase)
	if passing && !f.troubles.lasts(w.number, time.Now(), pullPatience) {
		f.log.Debug("an image is not used", "shard", w.number, "cause", err)
		return
	}
	var peers []string
	for _, m := range w.holders {
		peers = append(peers, m.Replica)
	}
	f.complaints.add(strings.Join(peers, ", "), err, time.Now())
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
	f.do(ctx, func(c *shard.Core) { err = c.Install(number, m) })
	if err == nil {
		f.stats.Pulled.Add(1)
	}
	if errors.Is(err, shard.ErrOlder) { // this replica has built one meanwhile
		return nil
	}
	return err
}
