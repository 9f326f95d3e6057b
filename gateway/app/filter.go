package app

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"time"

	"namegate/bloomnet"
	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

// Filter says whether the replica keeps a filter of all usernames in memory.
type Filter struct {
	On bool
	// Staleness is how long ago the databases may have been read for an answer from
	// memory, from 1 s to 1 min.
	Staleness time.Duration
}

// filter is the shared filter in terms of identifiers.
type filter struct {
	net    *bloomnet.Net
	hasher bloom.Hasher
}

var _ registry.Filter = (*filter)(nil)

// Free asks the vshard of an identifier.
func (f *filter) Free(id identifier.Identifier) (asOf time.Time, ok bool) {
	standing, at := f.net.Check(int(storage.VshardOf(id)), f.hasher.Sum(id.Key()))
	return at.Wall, standing == shard.Free
}

// Expect tells this replica, and the others.
func (f *filter) Expect(id identifier.Identifier) { f.net.Hint(f.hasher.Sum(id.Key())) }

// filterVersion is of all that makes filters of two releases the same: the hash, the
// filter's own parameters, which identifiers are in it, and how databases are named. The seed of the hash comes of
// it and of the registry's secret, so that nobody without that finds names that collide.
const filterVersion = "namegate filter 2"

// verifyEvery is how long it takes to compare the whole filter with the tables once.
const verifyEvery = 24 * time.Hour

// openFilter makes the filter of the registry's databases, and starts it. Whoever listens
// hears of changes before the filter does.
func (r *Replica) openFilter(ctx context.Context, store *postgres.Store, fingerprint []byte, told listeners) (registry.Filter, error) {
	sum := sha256.Sum256(append([]byte(filterVersion), fingerprint...))
	hasher := bloom.NewHasher(binary.LittleEndian.Uint64(sum[:]))
	var sources []bloomnet.Source
	for _, reader := range store.Feeds(time.Now) {
		sources = append(sources, &filterSource{FeedReader: reader, clock: bloomnet.Now, hasher: hasher, told: told})
	}
	id, files := r.filterFolder()
	options, err := r.openFleet(ctx, id)
	if err != nil {
		return nil, err
	}
	net, err := bloomnet.Start(ctx, bloomnet.Options{
		Shards: storage.Vshards, Sources: sources, Staleness: r.opts.Filter.Staleness, VerifyEvery: verifyEvery, Clock: bloomnet.Now, Random: rand.Float64,
		Fingerprint: [8]byte(sum[8:16]),
		Files:       files,
		Topics:      r.fleet.topics,
		Fleet:       options, Logger: r.opts.Logger,
	})
	if err != nil {
		return nil, err
	}
	r.undo.add("stop the filter", func(ctx context.Context) error {
		net.Close(ctx)
		return nil
	})
	r.fleet.net = net
	return &filter{net, hasher}, nil
}
