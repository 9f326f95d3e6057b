package bloom_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/bloom"
)

// draw makes n Hashes, as good as those of n names.
func draw(seed uint64, n int) []bloom.Hash {
	random := rand.New(rand.NewPCG(seed, 0))
	list := make([]bloom.Hash, n)
	for i := range list {
		list[i] = bloom.Hash{Hi: random.Uint64(), Lo: random.Uint64()}
	}
	return list
}

func filled(names uint64, list []bloom.Hash) *bloom.Filter {
	f := bloom.New(names)
	for _, h := range list {
		f.Add(h)
	}
	return f
}

func encoded(t testing.TB, f *bloom.Filter) []byte {
	t.Helper()
	b, err := f.AppendBinary(nil)
	require.NoError(t, err)
	return b
}

func TestWhatWasAddedIsThere(t *testing.T) {
	t.Parallel()
	for _, size := range []uint64{0, 1, 31, 32, 33, 1000, 4096, 99_999} {
		list := draw(size, 3000)
		f := bloom.New(size)
		for i, h := range list {
			f.Add(h)
			require.True(t, f.Has(h), "size %d", size)
			require.True(t, f.Has(list[i/2]), "size %d", size)
		}
		for _, h := range list {
			require.True(t, f.Has(h), "size %d", size)
		}
	}
}

func TestTheEndsOfTheRangeAreThere(t *testing.T) {
	t.Parallel()
	for _, h := range []bloom.Hash{{}, {Hi: math.MaxUint64}, {Lo: math.MaxUint64}, {Hi: math.MaxUint64, Lo: math.MaxUint64}} {
		f := bloom.New(1000)
		require.False(t, f.Has(h))
		f.Add(h)
		require.True(t, f.Has(h))
	}
}

// Not parallel, as it counts what the process allocates.
func TestLookUpsAllocateNothing(t *testing.T) {
	f, hasher, name := bloom.New(1000), bloom.NewHasher(1), []byte("any.name")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		f.Add(hasher.Sum(string(name)))
		f.Has(hasher.Sum(string(name)))
	}))
}

func TestCapacityIsWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	for size, want := range map[uint64]uint64{0: 32, 1: 32, 32: 32, 33: 64, 1_000_000: 1_000_000} {
		require.Equal(t, want, bloom.New(size).Capacity())
	}
}

// expectedRate is the formula of the package comment.
func expectedRate() float64 {
	const mean, bits = 32, 9
	rate, poisson := 0.0, math.Exp(-mean)
	for n := 0.0; n < 200; n++ {
		rate += poisson * math.Pow(1-math.Pow(511.0/512, bits*n), bits)
		poisson *= mean / (n + 1)
	}
	return rate
}

// With these seeds the rates are what they are, so the test cannot flake; with others the
// bounds would be some 3 standard deviations away.
func TestRateOfFalsePositivesAtCapacity(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 0.00083, expectedRate(), 0.00001)
	const names, probes = 64_000, 320_000
	for _, filters := range []int{1, 64} {
		positives := 0
		for seed := range filters {
			positives += falsePositives(uint64(seed), names/filters, probes/filters)
		}
		rate := float64(positives) / probes
		require.LessOrEqual(t, rate, 0.001, "%d filters", filters)
		require.InEpsilon(t, expectedRate(), rate, 0.2, "%d filters", filters)
	}
}

// falsePositives are those of so many probes, in a filter that is loaded to capacity.
func falsePositives(seed uint64, names, probes int) (positives int) {
	f, hasher := bloom.New(uint64(names)), bloom.NewHasher(seed)
	for i := range names {
		f.Add(hasher.Sum("name." + strconv.Itoa(i)))
	}
	for i := range probes {
		if f.Has(hasher.Sum("name." + strconv.Itoa(names+i))) {
			positives++
		}
	}
	return positives
}

func TestClonesAreIndependent(t *testing.T) {
	t.Parallel()
	list := draw(1, 1000)
	f := filled(1000, list[:500])
	clone := f.Clone()
	require.Equal(t, encoded(t, f), encoded(t, clone))
	f.Add(list[500])
	require.False(t, clone.Has(list[500]))
	clone.Add(list[501])
	require.False(t, f.Has(list[501]))
	for _, h := range list[:500] {
		require.True(t, clone.Has(h))
	}
}

func TestFillAndNames(t *testing.T) {
	t.Parallel()
	f, list := bloom.New(32_000), draw(2, 100_000)
	require.Zero(t, f.Fill())
	require.Zero(t, f.Names())
	added := 0
	for _, load := range []int{1000, 32_000, 100_000} {
		for ; added < load; added++ {
			f.Add(list[added])
		}
		require.InEpsilon(t, load, f.Names(), 0.01)
	}
	f.Add(list[0])
	require.InEpsilon(t, added, f.Names(), 0.01, "twice is once")
	require.InEpsilon(t, 1-math.Exp(-100_000*(1-math.Pow(511.0/512, 9))/1000), f.Fill(), 0.01)
}

func TestAFullFilterHasEverything(t *testing.T) {
	t.Parallel()
	f := filled(1, draw(3, 5000))
	require.InDelta(t, 1, f.Fill(), 0)
	require.True(t, f.Has(draw(4, 1)[0]))
	require.Positive(t, f.Names())
}
