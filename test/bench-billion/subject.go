package main

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	peers "github.com/bits-and-blooms/bloom/v3"

	"namegate/bloomnet/bloom"
)

// rate of false positives that bloom.Filter has at its capacity, for which the peer is made.
const rate = 0.00083

// seed of the Hashes; any will do.
const seed = 0x6a09e667f3bcc908

// subject is a set of filters that is measured.
type subject struct {
	label   string
	names   uint64
	bits    uint64 // of the filters
	filling time.Duration
	find    func(*pool) int // looks up all of a pool and counts the positives

	rounds    []time.Duration
	positives int // of a round
	looked    int // up in a round
}

// fill adds the names, by so many goroutines.
func (s *subject) fill(add func(name []byte), workers uint64) {
	begun := time.Now()
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			name := make([]byte, nameLength)
			for i := w * s.names / workers; i < (w+1)*s.names/workers; i++ {
				putName(name, i)
				add(name)
			}
		})
	}
	group.Wait()
	s.filling = time.Since(begun)
}

func single(names uint64) *subject {
	f, hasher := bloom.New(names), bloom.NewHasher(seed)
	s := &subject{label: "bloom, 1 filter", names: names, bits: f.Capacity() * bloom.BitsPerName}
	s.fill(func(name []byte) { f.Add(hasher.Sum(string(name))) }, uint64(runtime.GOMAXPROCS(0)))
	s.find = func(p *pool) (positives int) {
		for i := range p.len() {
			if f.Has(hasher.Sum(p.name(i))) {
				positives++
			}
		}
		return positives
	}
	return s
}

func peer(names uint64) *subject {
	f := peers.NewWithEstimates(uint(names), rate)
	s := &subject{label: "bits-and-blooms", names: names, bits: uint64(f.Cap())}
	s.fill(func(name []byte) { f.Add(name) }, 1) // it is not for concurrent use
	s.find = func(p *pool) (positives int) {
		for i := range p.len() {
			if f.TestString(p.name(i)) {
				positives++
			}
		}
		return positives
	}
	return s
}

func sharded(names uint64) *subject {
	filters, hasher := make([]*bloom.Filter, shards), bloom.NewHasher(seed)
	s := &subject{label: "bloom, 1024 filters", names: names}
	for i := range filters {
		filters[i] = bloom.New((names + shards - 1) / shards)
		s.bits += filters[i].Capacity() * bloom.BitsPerName
	}
	s.fill(func(name []byte) { filters[shardOf(name)].Add(hasher.Sum(string(name))) }, uint64(runtime.GOMAXPROCS(0)))
	s.find = func(p *pool) (positives int) {
		for i, shard := range p.shards {
			if filters[shard].Has(hasher.Sum(p.name(i))) {
				positives++
			}
		}
		return positives
	}
	return s
}

// release gives the filters of subjects back to the system; what was measured stays.
func release(list []*subject) {
	for _, s := range list {
		s.find = nil
	}
	debug.FreeOSMemory()
}
