package bloom_test

import (
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/bloom"
)

var (
	_ encoding.BinaryAppender    = (*bloom.Filter)(nil)
	_ encoding.BinaryUnmarshaler = (*bloom.Filter)(nil)
)

// goldenNames are in the filter that golden encodes.
var goldenNames = []bloom.Hash{
	{Hi: 0x0123456789abcdef, Lo: 0xfedcba9876543210},
	{Hi: 0x6a09e667f3bcc908, Lo: 0xbb67ae8584caa73b},
	{Hi: 0xa54ff53a5f1d36f1, Lo: 0x510e527fade682d1},
	{Hi: 0xaaaaaaaaaaaaaaaa, Lo: 0x7fffffffffffffff},
	{Hi: 0xaaaaaaaaaaaaaaab, Lo: 0x0000000000000000},
}

// Filters are kept in files and sent to peers of other releases.
const golden = "6e6762660109000203000000" +
	"0000010200000000000000000000000000000000000000000000000020000000" +
	"0040000000000000000000000000000000002000000200000000000040800008" +
	"0000000000000000000000001000040000000008000401000000020000210200" +
	"0001000080000428120028000000000200000000000000000000000000002080" +
	"0100000000000000000000000000000000000000000800000000000000000000" +
	"0000000000000000000020000000000000000000000000000000000000000000" +
	"59b00e81"

// seal puts the right checksum behind a body.
func seal(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(body[:len(body):len(body)], crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
}

func goldenBytes(t testing.TB) []byte {
	t.Helper()
	b, err := hex.DecodeString(golden)
	require.NoError(t, err)
	return b
}

func TestFiltersAreReadForEver(t *testing.T) {
	t.Parallel()
	require.Equal(t, hex.EncodeToString(goldenBytes(t)), hex.EncodeToString(encoded(t, filled(96, goldenNames))))
	var f bloom.Filter
	require.NoError(t, f.UnmarshalBinary(goldenBytes(t)))
	for _, h := range goldenNames {
		require.True(t, f.Has(h))
	}
}

func TestDecodedFiltersAreEqual(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 32, 33, 5000} {
		list := draw(uint64(size), size)
		f := filled(uint64(size), list)
		prefix := []byte("before")
		b, err := f.AppendBinary(prefix)
		require.NoError(t, err)
		require.Equal(t, prefix, b[:len(prefix)])
		var decoded bloom.Filter
		require.NoError(t, decoded.UnmarshalBinary(b[len(prefix):]))
		clear(b)
		require.Equal(t, encoded(t, f), encoded(t, &decoded), "nothing is kept of the input")
		require.Equal(t, f.Capacity(), decoded.Capacity())
		for _, h := range list {
			require.True(t, decoded.Has(h))
		}
	}
}

func TestDamagedFiltersAreRefused(t *testing.T) {
	t.Parallel()
	f := filled(96, goldenNames)
	before, good := encoded(t, f), goldenBytes(t)
	refuse := func(b []byte, what string, at int) {
		require.ErrorIs(t, f.UnmarshalBinary(b), bloom.ErrEncoding, "%s %d", what, at)
	}
	for n := range good {
		refuse(good[:n], "cut at byte", n)
	}
	refuse(append(goldenBytes(t), 0), "one byte more than", len(good))
	for i := range len(good) * 8 {
		bad := goldenBytes(t)
		bad[i/8] ^= 1 << (i % 8)
		refuse(bad, "flipped bit", i)
	}
	require.Equal(t, before, encoded(t, f), "a failure changes nothing")
}

func TestForeignFiltersAreRefused(t *testing.T) {
	t.Parallel()
	body := goldenBytes(t)
	body = body[:len(body)-4]
	for name, change := range map[string]func(b []byte) []byte{
		"magic":             func(b []byte) []byte { b[0] ^= 1; return b },
		"version":           func(b []byte) []byte { b[4]++; return b },
		"pattern":           func(b []byte) []byte { b[5]--; return b },
		"bits of a block":   func(b []byte) []byte { b[7]++; return b },
		"no blocks":         func(b []byte) []byte { b[8] = 0; return b[:12] },
		"fewer blocks":      func(b []byte) []byte { b[8] = 0; return b },
		"more blocks":       func(b []byte) []byte { b[8]++; return b },
		"too many blocks":   func(b []byte) []byte { b[11] = 0xff; return b },
		"part of a block":   func(b []byte) []byte { return append(b, 0) },
		"block behind many": func(b []byte) []byte { return append(b, make([]byte, 64)...) },
	} {
		changed := change(append([]byte(nil), body...))
		require.ErrorIs(t, new(bloom.Filter).UnmarshalBinary(seal(changed)), bloom.ErrEncoding, name)
	}
	require.NoError(t, new(bloom.Filter).UnmarshalBinary(seal(body)))
}

// Not parallel, as it reads a counter of the process.
func TestNothingIsAllocatedOnAClaim(t *testing.T) {
	body := goldenBytes(t)
	body = body[:len(body)-4]
	binary.LittleEndian.PutUint32(body[8:], bloom.MaxNames/32)
	claim := seal(body)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.ErrorIs(t, new(bloom.Filter).UnmarshalBinary(claim), bloom.ErrEncoding)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func FuzzUnmarshalBinary(f *testing.F) {
	f.Add(goldenBytes(f))
	f.Add(encoded(f, filled(100, draw(1, 100))))
	f.Add(goldenBytes(f)[:12])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		// The checksum is made right for half of the inputs: the fuzzer would never guess it.
		if len(b)%2 == 0 && len(b) >= 4 {
			b = seal(b[:len(b)-4])
		}
		var decoded bloom.Filter
		if err := decoded.UnmarshalBinary(b); err != nil {
			require.ErrorIs(t, err, bloom.ErrEncoding)
			require.Zero(t, decoded.Capacity())
			return
		}
		require.Equal(t, b, encoded(t, &decoded))
		h := draw(uint64(len(b)), 1)[0]
		decoded.Add(h)
		require.True(t, decoded.Has(h))
	})
}
