package bloom_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/bloom"
)

// Writers go through many filters of one block each in the same order, so that they meet
// in every word, while a reader looks for what is said to be added.
func TestConcurrentAddsLoseNothing(t *testing.T) {
	t.Parallel()
	const writers, filters, each = 4, 2000, 8
	shared, alone := make([]*bloom.Filter, filters), make([]*bloom.Filter, filters)
	for i := range filters {
		shared[i], alone[i] = bloom.New(1), bloom.New(1)
	}
	lists := make([][]bloom.Hash, writers)
	done := make([]atomic.Int64, writers)
	var group sync.WaitGroup
	for w := range writers {
		lists[w] = draw(uint64(w), filters*each)
		for i, h := range lists[w] {
			alone[i/each].Add(h)
		}
	}
	for w, list := range lists {
		group.Go(func() {
			for i, h := range list {
				shared[i/each].Add(h)
				done[w].Store(int64(i + 1))
			}
		})
	}
	missed := 0
	for finished := 0; finished < writers; {
		finished = 0
		for w, list := range lists {
			added := int(done[w].Load())
			if f := shared[max(added-1, 0)/each]; added > 0 && !(f.Has(list[added-1]) && f.Clone().Has(list[added-1])) {
				missed++
			}
			finished += added / len(list)
		}
	}
	group.Wait()
	require.Zero(t, missed)
	for i := range filters {
		require.Equal(t, encoded(t, alone[i]), encoded(t, shared[i]))
	}
}
