package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"namegate/storage"
)

const (
	// hammerRate is how many names of one vshard are wanted a second, over so many
	// connections: three times the share of a shard. Of hammeredNames each is wanted again and again.
	hammerRate, hammerConnections, hammeredNames = 3000, 256, 2000
	hammered                                     = storage.Vshard(7)
	// othersRate is how many other names are wanted a second.
	othersRate = 1000
)

// planOfHammer measures what others feel of one shard that many want names of.
func (l *lab) planOfHammer() []comparison {
	r := &registry{lab: l, name: "hammered", parts: 2, names: fewNames, anew: true}
	return []comparison{{"reserve without them", []work{
		{fmt.Sprintf("%s reserves a second over HTTP", grouped(othersRate)), r.prepare, r.reserveOthers},
		{fmt.Sprintf("%s reserves a second over HTTP, beside %s of one shard", grouped(othersRate), grouped(hammerRate)), r.prepare, r.reserveBesideHammer},
	}}}
}

func (r *registry) reserveOthers(ctx context.Context, length time.Duration) (sample, error) {
	others := func() source {
		return func(body, wanted []byte) ([]byte, []byte) {
			for {
				n := r.used.Add(1)
				if id, err := r.identifier(fresh, n); err != nil || storage.VshardOf(id) != hammered {
					return appendReserve(body, wanted, n)
				}
			}
		}
	}
	return traffic{address: r.address, connections: webConnections, next: others, rate: othersRate}.run(ctx, length)
}

// reserveBesideHammer has others want names of one shard meanwhile. What becomes of them
// is of no interest: most are told to come again.
func (r *registry) reserveBesideHammer(ctx context.Context, length time.Duration) (sample, error) {
	indexes, err := r.indexesOf(hammered, hammeredNames)
	if err != nil {
		return sample{}, err
	}
	var nth atomic.Uint64
	hammer := traffic{address: r.address, connections: hammerConnections, rate: hammerRate, next: func() source {
		return func(body, wanted []byte) ([]byte, []byte) {
			n := nth.Add(1)
			body, _ = appendReserveOf(body, nil, free, indexes[n%hammeredNames], r.used.Add(1))
			return body, wanted
		}
	}}
	var beside sync.WaitGroup
	beside.Go(func() { _, _ = hammer.run(ctx, length) })
	defer beside.Wait()
	return r.reserveOthers(ctx, length)
}

// indexesOf are those of some names of the free space that one vshard has.
func (r *registry) indexesOf(vshard storage.Vshard, n int) (list []uint64, err error) {
	for index := uint64(0); len(list) < n; index++ {
		id, err := r.identifier(free, index)
		if err != nil {
			return nil, err
		}
		if storage.VshardOf(id) == vshard {
			list = append(list, index)
		}
	}
	return list, nil
}
