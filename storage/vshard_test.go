package storage_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

// These values decide where rows lie, so they can never change. They come from
// another implementation (zlib, hashlib).
func TestVshardsForEver(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]storage.Vshard{
		"ann": 627, "ada.lovelace": 715, "a_b": 490, "zzz": 458, "0123456789": 966,
	} {
		require.Equal(t, want, storage.VshardOf(identifier.Stored(identifier.Username, name, name, name)), name)
	}
	require.Equal(t, storage.Vshard(390), storage.VshardOfOwner("user:42"))
}

func TestRequestKeysForEver(t *testing.T) {
	t.Parallel()
	key := storage.NewRequestKey(storage.Anonymous, "b3d5ab3e-8a31-4a39-a2d3-7d4ac86c0f0e")
	require.Equal(t, "fb913909a366f90e1ff01657c93214a7", hex.EncodeToString(key.ID[:]))
	require.Equal(t, storage.Vshard(824), key.Vshard)
}

func TestNoTwoRequestsAreOne(t *testing.T) {
	t.Parallel()
	require.NotEqual(t, storage.NewRequestKey("user:1", "x"), storage.NewRequestKey("user:2", "x"))
	require.NotEqual(t, storage.NewRequestKey("ab", "c"), storage.NewRequestKey("a", "bc"))
	require.NotEqual(t, storage.HashArguments("reserve", "ab", "c"), storage.HashArguments("reserve", "a", "bc"))
	require.NotEqual(t, storage.HashArguments("reserve", "a"), storage.HashArguments("reserve", "a", ""))
	require.NotEqual(t, storage.HashArguments("reserve", "a"), storage.HashArguments("confirm", "a"))
}
