package app

import (
	"context"
	"math/rand/v2"
	"sync"

	"namegate/bloomnet"
	"namegate/gateway/hotname"
	"namegate/gateway/registry"
	"namegate/storage/postgres"
)

const (
	// denyEntries is how many names the deny list has room for.
	denyEntries = 100_000
	// topicHot is what replicas tell each other of hot names on.
	topicHot = 0
)

// openHot makes the deny list of hot names, which the others share once it runs.
func (r *Replica) openHot(store *postgres.Store) (*hotname.List, error) {
	list, err := hotname.New(hotname.Options{
		Entries: denyEntries, Threshold: r.opts.Layers.HotName, Store: store, Random: rand.Float64,
		Clock: sinceBoot, Broadcast: r.fleet.broadcast,
	})
	if err != nil {
		return nil, err
	}
	r.fleet.topics[topicHot] = list.Receive
	return list, nil
}

// runHot runs it until the replica stops.
func (r *Replica) runHot(ctx context.Context, list *hotname.List) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { list.Run(ctx) })
	r.undo.add("stop the deny list", func(context.Context) error {
		stop()
		running.Wait()
		return nil
	})
}

var _ registry.DenyList = (*hotname.List)(nil)

// fleetwide is how the deny list reaches others: by the net of the filter, where there is one.
type fleetwide struct {
	topics map[uint8]func(payload []byte)
	net    *bloomnet.Net
}

func (f *fleetwide) broadcast(key string, payload []byte) error {
	if f.net == nil {
		return nil
	}
	return f.net.Broadcast(topicHot, key, payload)
}
