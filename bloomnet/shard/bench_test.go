package shard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

// benchmarkNames are in one of 1024 shards of 1e9 names; 1 % of them are recent.
const benchmarkNames = 1_000_000

// BenchmarkCheck is of names that are Free, in one shard, by one goroutine.
func BenchmarkCheck(b *testing.B) {
	view, absent := benchmarkView(b), make([]bloom.Hash, 1<<16)
	for i := range absent {
		absent[i] = named(-i - 1)
	}
	for i := 0; b.Loop(); i++ {
		view.Check(0, absent[i%len(absent)])
	}
}

func benchmarkView(b *testing.B) *shard.View {
	b.Helper()
	clock := func() shard.Instant { return shard.Instant{Boot: 1} }
	core := shard.New(shard.Options{Shards: 1, Databases: 1, Bound: bound, Clock: clock, Hints: shard.NewHints(1000)})
	var recent []shard.Event
	base := bloom.New(benchmarkNames)
	for i := range benchmarkNames {
		if i%100 == 0 {
			recent = append(recent, came(i, 1))
			continue
		}
		base.Add(named(i))
	}
	at := func(n uint64) shard.Position { return shard.Position{Source: "s", At: n} }
	core.Begin(0, at(1))
	require.NoError(b, core.Polled(0, shard.Poll{From: at(1), To: at(2), Sent: clock(), Owned: []uint64{1}, Events: recent}))
	m := shard.Built(shard.Head{Epoch: 1, Build: 1, At: at(1)}, base, benchmarkNames, nil)
	require.NoError(b, core.Install(0, m))
	require.NoError(b, core.Polled(0, shard.Poll{From: at(2), To: at(2), Sent: clock()}))
	require.True(b, core.View().Vouched(0))
	return core.View()
}
