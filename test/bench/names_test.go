package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/identifier"
)

func TestNamesAreUniqueAndCanBeHad(t *testing.T) {
	t.Parallel()
	parser, err := identifier.NewParser([]byte("secret of these tests"))
	require.NoError(t, err)
	policy := identifier.NewPolicy(nil)
	seen := map[string]bool{}
	const some = 50_000
	for _, s := range []space{imported, fresh, free} {
		for _, first := range []uint64{0, maxIndex - some} {
			for index := first; index < first+some; index++ {
				name := string(appendName(nil, s, index))
				require.False(t, seen[name], name)
				seen[name] = true
				id, err := parser.Parse(identifier.Username, name)
				require.NoError(t, err, name)
				require.Equal(t, name, id.Canonical())
				require.False(t, policy.Refuses(id), name)
			}
		}
	}
}

func TestNamesAreForEver(t *testing.T) {
	t.Parallel()
	require.Equal(t, appendName(nil, fresh, 7), appendName(nil, fresh, 7))
	require.Equal(t, "x"+string(appendName(nil, free, 1)), string(appendName([]byte("x"), free, 1)))
}

// TestScatter undoes each step, so no two numbers can become one.
func TestScatter(t *testing.T) {
	t.Parallel()
	const mask = 1<<nameBits - 1
	unshift := func(n uint64, by int) uint64 {
		was := n
		for range nameBits / by {
			was = n ^ was>>by
		}
		return was
	}
	undo := func(n uint64) uint64 {
		n = unshift(n, 19) * inverse(0xbf58476d1ce4e5b9) & mask
		return unshift(n, 17) * inverse(0x9e3779b97f4a7c15) & mask
	}
	for n := uint64(1); n <= mask; n = n*3 + 1 {
		require.LessOrEqual(t, scatter(n), uint64(mask))
		require.Equal(t, n, undo(scatter(n)))
	}
}

// inverse is that of an odd number modulo 2^64, by Newton's iteration.
func inverse(odd uint64) uint64 {
	x := odd
	for range 6 {
		x *= 2 - odd*x
	}
	return x
}
