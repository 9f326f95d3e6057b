package shard

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/bloom"
)

// hashesOf are some hashes. The first ones are those whose values mark slots, and of the
// others, eight at a time want the same slot.
func hashesOf(n int) []bloom.Hash {
	list := []bloom.Hash{{Hi: 0, Lo: slotEmpty}, {Hi: 0, Lo: slotDead}, {Hi: 1, Lo: slotDead}}
	for i := len(list); i < n; i++ {
		list = append(list, bloom.Hash{Hi: uint64(i &^ 7), Lo: uint64(1000 + i)})
	}
	return list
}

// model is what recent is to be: the names, and how each came in.
type model map[bloom.Hash]added

func (m model) equals(t *testing.T, r *recent, hashes []bloom.Hash) {
	t.Helper()
	lasting := 0
	for _, h := range hashes {
		a, there := m[h]
		require.Equal(t, there, r.has(h))
		if there && !a.reserved {
			lasting++
		}
	}
	require.Equal(t, []int{len(m), lasting}, []int{r.live, r.lasting})
	seen := 0
	r.each(func(h bloom.Hash, a added) {
		seen++
		for _, of := range hashes {
			if tame(of) == h {
				require.Equal(t, m[of], a)
			}
		}
	})
	require.Equal(t, len(m), seen)
}

func TestRecentIsASetOfNames(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		r, m, hashes := newRecent(0), model{}, hashesOf(60)
		for range 2000 {
			h, epoch := hashes[random.IntN(len(hashes))], uint32(random.IntN(3))
			if random.IntN(2) == 0 {
				a := added{at: random.Uint64N(5), epoch: epoch, reserved: random.IntN(2) == 0}
				old, there := m[h]
				if !there || a.epoch > old.epoch || a.epoch == old.epoch && a.at >= old.at {
					m[h] = a
				}
				r.put(h, a)
				continue
			}
			old, there := m[h]
			require.Equal(t, there, r.drop(h, epoch))
			if there && old.epoch <= epoch {
				delete(m, h)
			}
		}
		m.equals(t, r, hashes)
		require.LessOrEqual(t, len(*r.table.Load()), 256, "the dead take no room for ever")
	}
}

func TestRecentAfterAnImage(t *testing.T) {
	t.Parallel()
	image := covered{epoch: 2, database: 1, at: 100}
	hashes := hashesOf(8)
	all := []added{
		{epoch: 1, database: 1, at: 200},
		{epoch: 1, database: 0, at: 200},
		{epoch: 2, database: 1, at: 100},
		{epoch: 2, database: 1, at: 100, reserved: true},
		{epoch: 2, database: 1, at: 101},
		{epoch: 2, database: 0, at: 1},
		{epoch: 3, database: 1, at: 1},
		{epoch: 3, database: 0, at: 1, reserved: true},
	}
	r, m := newRecent(0), model{}
	for i, a := range all {
		r.put(hashes[i], a)
		if i >= 4 {
			m[hashes[i]] = a
		}
	}
	m.equals(t, r.after(image), hashes)
	require.Len(t, r.entries(), len(all))
}

// Readers find what is there throughout, and nothing that never was, whatever the one
// writer does beside it.
func TestReadersOfRecent(t *testing.T) {
	t.Parallel()
	r, hashes := newRecent(0), hashesOf(400)
	stay, turn, never := hashes[:100], hashes[100:300], hashes[300:]
	for _, h := range stay {
		r.put(h, added{})
	}
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		readers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				if !r.has(stay[i%len(stay)]) || r.has(never[i%len(never)]) {
					t.Error("a reader is wrong")
					return
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		h := turn[random.IntN(len(turn))]
		if random.IntN(2) == 0 {
			r.put(h, added{})
		} else {
			r.drop(h, 0)
		}
	}
	close(done)
	readers.Wait()
}

// A reader who has seen a name's successor sees the name: what was put first is found by
// whoever looks after something later was found.
func TestReadersSeeAddsInOrder(t *testing.T) {
	t.Parallel()
	r, hashes := newRecent(0), hashesOf(2000)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for i := 1; i < len(hashes); i++ {
				for !r.has(hashes[i]) {
					runtime.Gosched()
				}
				if !r.has(hashes[i-1]) {
					t.Error("an add was seen before an earlier one")
					return
				}
			}
		})
	}
	for _, h := range hashes {
		r.put(h, added{})
	}
	readers.Wait()
}
