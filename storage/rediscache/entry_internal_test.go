package rediscache

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

var ada = identifier.Stored(identifier.Username, "ada", "ada", "Ada")

// golden entries are read by replicas of later releases.
var golden = map[string]entry{
	"0174" + "0102030000000000000000000000000f" + "0000000000000007" + "0000000000000002" + "00000000000003e8" + "000644d949dbd8e1" +
		"01" + "00" + "000644d97f9f4501" + "616461" + "0d245255": {
		Standing: storage.Standing{
			Held: &storage.Holding{
				Identifier: identifier.Stored(identifier.Username, "ada", "ada", ""), State: storage.Reserved,
				ExpireAt: time.UnixMicro(1764550800000257).UTC(),
			},
			Version: storage.Version{Epoch: 2, ID: 1000}, AsOf: time.UnixMicro(1764549898000609).UTC(),
		},
		generation: generation{1, 2, 3, 15: 15}, beat: 7,
	},
	"0166" + "0102030000000000000000000000000f" + "0000000000000007" + "0000000000000002" + "0000000000000000" + "000644d949dbd8e1" + "cb3689f6": {
		Standing:   storage.Standing{Version: storage.Version{Epoch: 2}, AsOf: time.UnixMicro(1764549898000609).UTC()},
		generation: generation{1, 2, 3, 15: 15}, beat: 7,
	},
}

func TestEntriesAreReadForEver(t *testing.T) {
	t.Parallel()
	for text, e := range golden {
		b, err := e.encode("ada")
		require.NoError(t, err)
		require.Equal(t, text, hex.EncodeToString(b))
		got, err := decode(ada, b)
		require.NoError(t, err)
		require.Equal(t, e, got)
	}
}

func TestEntriesOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	for text := range golden {
		b, err := hex.DecodeString(text)
		require.NoError(t, err)
		_, err = decode(identifier.Stored(identifier.Username, "adb", "adb", ""), b)
		require.Error(t, err, "an entry of another name")
		for i := range b {
			damaged := append([]byte(nil), b...)
			damaged[i] ^= 0x10
			_, err := decode(ada, damaged)
			require.Error(t, err, "byte %d", i)
			_, err = decode(ada, b[:i])
			require.Error(t, err, "%d bytes", i)
		}
	}
}

func TestImpossibleEntriesAreNotStored(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 256)
	for _, h := range []storage.Holding{
		{State: storage.Active, Identifier: identifier.Stored(identifier.Username, long, long, "")},
		{State: 0, Identifier: ada},
		{State: 5, Identifier: ada},
	} {
		_, err := entry{Standing: storage.Standing{Held: &h}}.encode("ada")
		require.Error(t, err)
	}
}

// What can be read is written again byte for byte.
func FuzzEntry(f *testing.F) {
	for text := range golden {
		b, err := hex.DecodeString(text)
		require.NoError(f, err)
		f.Add(b[:len(b)-sumSize])
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = decode(ada, b)
		b = appendSum("ada", b)
		e, err := decode(ada, b)
		if err != nil {
			return
		}
		again, err := e.encode("ada")
		require.NoError(t, err)
		require.Equal(t, b, again)
	})
}
