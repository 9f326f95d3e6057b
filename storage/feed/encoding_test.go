package feed_test

import (
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/feed"
)

var source = feed.Source{Database: [16]byte{1, 2, 3}, System: 7361234567890123456, Timeline: 2}

var position = feed.Position{Source: source, Xmax: 1 << 33, Began: 1 << 50, Running: []uint64{3, 1 << 32, 1<<33 - 1}}

// Stored positions are read by later releases.
const golden = "02" + "01020300000000000000000000000000" + "c0ba6a87d65b2866" + "02000000" + "0000000002000000" + "0000000000000400" +
	"0300000000000000" + "0000000001000000" + "ffffffff01000000"

func TestPositionsAreReadForEver(t *testing.T) {
	t.Parallel()
	b, err := position.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, golden, hex.EncodeToString(b))
	var p feed.Position
	require.NoError(t, p.UnmarshalBinary(b))
	require.Equal(t, position, p)
}

func TestPositionInJSON(t *testing.T) {
	t.Parallel()
	type file struct{ At feed.Position }
	text, err := json.Marshal(file{position})
	require.NoError(t, err)
	var f file
	require.NoError(t, json.Unmarshal(text, &f))
	require.Equal(t, file{position}, f)
	_, err = json.Marshal(file{})
	require.Error(t, err, "the zero position is none")
	require.Error(t, json.Unmarshal([]byte(`{"At":""}`), &f))
	require.Error(t, json.Unmarshal([]byte(`{"At":"AQ=="}`), &f))
	require.Equal(t, file{position}, f, "a failure changes nothing")
}

func TestDamagedPositionsAreRefused(t *testing.T) {
	t.Parallel()
	header := golden[:2*45]
	for name, text := range map[string]string{
		"empty":                "",
		"cut short":            golden[:len(golden)-2],
		"too long":             golden + "00",
		"another version":      "01" + golden[2:],
		"no Xmax":              header[:len(header)-32] + "0000000000000000" + "0000000000000400",
		"no running xid":       header + "0000000000000000",
		"running out of order": header + "0400000000000000" + "0300000000000000",
		"running twice":        header + "0300000000000000" + "0300000000000000",
		"running at Xmax":      header + "0000000002000000",
	} {
		b, err := hex.DecodeString(text)
		require.NoError(t, err)
		var p feed.Position
		require.Error(t, p.UnmarshalBinary(b), name)
	}
}

func TestImpossiblePositionsAreNotStored(t *testing.T) {
	t.Parallel()
	for _, p := range []feed.Position{
		{},
		{Source: source, Xmax: 5, Running: []uint64{5}},
		{Source: source, Xmax: 5, Running: []uint64{4, 3}},
	} {
		_, err := p.MarshalText()
		require.Error(t, err)
	}
}

// What can be read is written again byte for byte, in both forms.
func FuzzPosition(f *testing.F) {
	b, err := hex.DecodeString(golden)
	require.NoError(f, err)
	text, err := position.MarshalText()
	require.NoError(f, err)
	f.Add(b, string(text))
	f.Add([]byte{2}, string(text)+"\n")
	f.Fuzz(func(t *testing.T, b []byte, text string) {
		var p feed.Position
		if p.UnmarshalBinary(b) == nil {
			again, err := p.MarshalBinary()
			require.NoError(t, err)
			require.Equal(t, b, again)
		}
		if p.UnmarshalText([]byte(text)) == nil {
			again, err := p.MarshalText()
			require.NoError(t, err)
			require.Equal(t, text, string(again))
		}
	})
}
