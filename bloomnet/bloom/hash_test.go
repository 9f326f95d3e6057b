package bloom_test

import (
	"hash/crc32"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/bloom"
)

// The values are those of the C library xxHash 0.8.1, XXH3_128bits_withSeed. Hashes are
// kept and sent to other releases, so they never change.
func TestHashIsForEver(t *testing.T) {
	t.Parallel()
	const seed = 0x0123456789abcdef
	for _, row := range []struct {
		seed uint64
		name string
		want bloom.Hash
	}{
		{0, "", bloom.Hash{Hi: 0x99aa06d3014798d8, Lo: 0x6001c324468d497f}},
		{0, "kim.lee", bloom.Hash{Hi: 0xaed5e3ed8c375783, Lo: 0x592c7f37324aeddc}},
		{seed, "", bloom.Hash{Hi: 0xa4cb05dbbf09907a, Lo: 0xaaa287af24a9bb3a}},
		{seed, "zoe", bloom.Hash{Hi: 0x68331749e41b86a8, Lo: 0xf2851c17512473f4}},
		{seed, "kim.lee", bloom.Hash{Hi: 0xe5b32f54ce931e48, Lo: 0xf0b73ae690ef0e22}},
		{seed, "jean_luc.picard", bloom.Hash{Hi: 0x00b9a3621ebf1197, Lo: 0x1a51da582db7badb}},
		{seed, "an.identifier.of.30.characters", bloom.Hash{Hi: 0x1fa7070cad6bd270, Lo: 0xb557f5b122d241c5}},
		{seed, strings.Repeat("f", 64), bloom.Hash{Hi: 0x42a6ab4ecb5d1fa0, Lo: 0x80036dab1a67c2b8}},
		{seed, strings.Repeat("ab", 64) + "c", bloom.Hash{Hi: 0x5ad5628bfaec391a, Lo: 0x46952fa58eae17e7}},
		{seed, strings.Repeat("0123456789abcdef", 20), bloom.Hash{Hi: 0x47a1075349d5d4b9, Lo: 0x5c8ec8cf26529e01}},
	} {
		require.Equal(t, row.want, bloom.NewHasher(row.seed).Sum(row.name), "%x %q", row.seed, row.name)
	}
}

// Names that CRC-32 sends to one shard must be spread over a filter like any others.
func TestHashIsIndependentOfCRC32(t *testing.T) {
	t.Parallel()
	const shards, shard, bins, names = 1024, 7, 32, 1000
	fields := map[string]func(bloom.Hash) uint64{
		"top of Hi": func(h bloom.Hash) uint64 { return h.Hi >> 59 },
		"low of Hi": func(h bloom.Hash) uint64 { return h.Hi % bins },
		"top of Lo": func(h bloom.Hash) uint64 { return h.Lo >> 59 },
		"low of Lo": func(h bloom.Hash) uint64 { return h.Lo % bins },
	}
	counts := map[string]*[bins]float64{}
	for field := range fields {
		counts[field] = new([bins]float64)
	}
	hasher := bloom.NewHasher(1)
	name := []byte("name.")
	for i, found := uint64(0), 0; found < names; i++ {
		name = strconv.AppendUint(name[:len("name.")], i, 10)
		if crc32.ChecksumIEEE(name)%shards != shard {
			continue
		}
		found++
		for field, of := range fields {
			counts[field][of(hasher.Sum(string(name)))]++
		}
	}
	for field, count := range counts {
		chi2, mean := 0.0, float64(names)/bins
		for _, n := range count {
			chi2 += (n - mean) * (n - mean) / mean
		}
		// 31 degrees of freedom: the mean is 31, the standard deviation 7.9.
		require.InDelta(t, 31, chi2, 4*7.9, field)
	}
}
