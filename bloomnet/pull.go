package bloomnet

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"sync"
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
	for f.pauseFor(ctx, pullInterval) {
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
	of, m, err := shard.Decode(data, f.numberOf)
	if err != nil {
		return err
	}
	if of != number {
		return shard.ErrEncoding
	}
	f.stats.Pulled.Add(1)
	return f.install(ctx, number, m)
}

// numberOf is the number of a database here.
func (n *Net) numberOf(name string) (int, bool) {
	for i, s := range n.options.Sources {
		if s.Name() == name {
			return i, true
		}
	}
	return 0, false
}

func (n *Net) names() []string {
	names := make([]string, len(n.options.Sources))
	for i, s := range n.options.Sources {
		names[i] = s.Name()
	}
	return names
}

const (
	// giftLife is how long an encoded image is kept for those who pull it, as they may
	// come together or go on where they were cut off; giftsKept bounds the memory.
	giftLife  = 10 * time.Second
	giftsKept = 16
)

// gifts are encoded images.
type gifts struct {
	mu   sync.Mutex
	list map[uint32]gift
}

type gift struct {
	transfer.Blob
	head summary
	made time.Time
}

func newGifts() gifts { return gifts{list: map[uint32]gift{}} }

// open gives another replica the image of a shard.
func (f *fleet) open(number uint32, have []byte) (transfer.Blob, error) {
	if int(number) >= f.Net.options.Shards {
		return transfer.Blob{}, transfer.ErrNotHeld
	}
	g, err := f.gift(number)
	if err != nil {
		return transfer.Blob{}, err
	}
	if len(have) == summarySize && !g.head.newer(readSummary(have)) {
		return transfer.Blob{}, transfer.ErrNotNewer
	}
	return g.Blob, nil
}

// gift encodes an image, or gives the one that was made a moment ago.
func (f *fleet) gift(number uint32) (gift, error) {
	f.gifts.mu.Lock()
	defer f.gifts.mu.Unlock()
	now := time.Now()
	if g, here := f.gifts.list[number]; here && now.Sub(g.made) < giftLife {
		return g, nil
	}
	var m shard.Image
	err := transfer.ErrNotHeld
	f.do(context.Background(), func(c *shard.Core) { m, err = c.Image(int(number)) })
	if err != nil {
		return gift{}, transfer.ErrNotHeld
	}
	data, err := m.Encode(int(number), f.names())
	if err != nil {
		return gift{}, err
	}
	g := gift{head: summary{uint32(m.Head.Epoch), uint32(m.Head.Build)}, made: now}
	g.Data = data
	g.Tag = binary.LittleEndian.AppendUint64(nil, f.options.Boot)
	g.Tag = append(g.Tag, rand.Text()...)
	f.gifts.forget(now)
	f.gifts.list[number] = g
	return g, nil
}

// forget makes room for one more.
func (g *gifts) forget(now time.Time) {
	for len(g.list) >= giftsKept {
		var oldest uint32
		first := true
		for number, one := range g.list {
			if first || one.made.Before(g.list[oldest].made) {
				oldest, first = number, false
			}
		}
		delete(g.list, oldest)
	}
	for number, one := range g.list {
		if now.Sub(one.made) >= giftLife {
			delete(g.list, number)
		}
	}
}
