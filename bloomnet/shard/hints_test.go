package shard_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/bloom"
	"namegate/bloomnet/shard"
)

func TestHintsLiveForOneToTwoGenerations(t *testing.T) {
	t.Parallel()
	h := shard.NewHints(100)
	h.Add(named(1))
	h.Age()
	h.Add(named(2))
	require.True(t, h.Has(named(1)) && h.Has(named(2)))
	h.Age()
	require.False(t, h.Has(named(1)))
	require.True(t, h.Has(named(2)))
	h.Add(named(2))
	h.Age()
	require.True(t, h.Has(named(2)), "hinted at again")
}

func TestHintsAreLimited(t *testing.T) {
	t.Parallel()
	h := shard.NewHints(20)
	for i := range 30 {
		h.Add(named(i))
		h.Add(named(i))
		require.Equal(t, i < 20, h.Has(named(i)))
	}
	require.Equal(t, uint64(20), h.Refused())
	h.Age()
	h.Add(named(25))
	require.True(t, h.Has(named(25)))
}

// Marks of empty and dead slots are hashes too.
func TestHintsOfAnyHash(t *testing.T) {
	t.Parallel()
	h := shard.NewHints(20)
	for lo := range uint64(2) {
		require.False(t, h.Has(bloom.Hash{Lo: lo}))
		h.Add(bloom.Hash{Lo: lo})
		require.True(t, h.Has(bloom.Hash{Lo: lo}))
	}
}

func TestHintsOnlyMakeFreeMaybe(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.view.Hint(named(10))
	f.is(shard.Maybe, 10)
	require.Empty(t, f.image().Recent, "no part of an image")
	f.hints.Age()
	f.hints.Age()
	f.is(shard.Free, 10)
}

func TestHintsOfMany(t *testing.T) {
	t.Parallel()
	h := shard.NewHints(1 << 20)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 500 {
				name := named(g*500 + i)
				h.Add(name)
				if !h.Has(name) || h.Has(named(-1)) {
					t.Error("a hint is wrong")
					return
				}
			}
		})
	}
	all.Wait()
	h.Age()
	for i := range 2000 {
		require.True(t, h.Has(named(i)))
	}
}
