package bloomnet

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"maps"
	"slices"
	"sync"
	"time"

	"namegate/bloomnet/shard"
	"namegate/bloomnet/transfer"
)

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
	var positions []shard.Position
	err := transfer.ErrNotHeld
	f.do(context.Background(), func(c *shard.Core) {
		m, err = c.Image(int(number))
		positions = c.Positions()
	})
	if err != nil {
		return gift{}, transfer.ErrNotHeld
	}
	data, err := f.encode(int(number), m, positions)
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
	maps.DeleteFunc(g.list, func(_ uint32, one gift) bool { return now.Sub(one.made) >= giftLife })
	if len(g.list) >= giftsKept {
		delete(g.list, slices.MinFunc(slices.Collect(maps.Keys(g.list)), func(a, b uint32) int {
			return g.list[a].made.Compare(g.list[b].made)
		}))
	}
}
