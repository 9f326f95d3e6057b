package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Files are read by later releases.
var (
	golden = manifest{save: 258, header: []byte("hd"), entries: []entry{
		{number: 7, save: 1, length: 2097152, sum: [sha256.Size]byte{9}, tag: []byte{1, 2}},
		{number: 8, save: 258, length: 3, sum: [sha256.Size]byte{8}, tag: []byte{}},
	}}
	goldenBody = "626e736d" + "01" + "0201000000000000" + "02000000" + "6864" + "02000000" +
		"07000000" + "0100000000000000" + "00002000" + "09" + strings.Repeat("00", 31) + "020102" +
		"08000000" + "0201000000000000" + "03000000" + "08" + strings.Repeat("00", 31) + "00"
	goldenSum = "d43a4262fba799f34c2c670cd3e3f637dfcea5b9330eee39484d5984e26deed4"
)

func TestManifestsAreReadForEver(t *testing.T) {
	t.Parallel()
	require.Equal(t, goldenBody+goldenSum, hex.EncodeToString(golden.encode()))
	b, err := hex.DecodeString(goldenBody + goldenSum)
	require.NoError(t, err)
	m, err := decode(b)
	require.NoError(t, err)
	require.Equal(t, golden, m)
	require.Equal(t, "7-1.part", m.entries[0].file())
}

// The checksum is right, but not what it is of.
func TestImpossibleManifestsAreRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*manifest){
		"no save":             func(m *manifest) { m.save = 0 },
		"a part to come":      func(m *manifest) { m.entries[0].save = 259 },
		"a part of no save":   func(m *manifest) { m.entries[0].save = 0 },
		"a part that is long": func(m *manifest) { m.entries[0].length = MaxPart + 1 },
		"a tag that is long":  func(m *manifest) { m.entries[0].tag = make([]byte, MaxTag+1) },
		"a number twice":      func(m *manifest) { m.entries[0].number = 8 },
		"parts out of order":  func(m *manifest) { m.entries[0].number = 9 },
		"a long header":       func(m *manifest) { m.header = make([]byte, MaxHeader+1) },
	} {
		m := golden
		m.entries = append([]entry(nil), golden.entries...)
		change(&m)
		_, err := decode(m.encode())
		require.ErrorIs(t, err, errDamaged, name)
	}
	for name, body := range map[string]string{
		"another magic":   "00" + goldenBody[2:],
		"another version": goldenBody[:8] + "02" + goldenBody[10:],
		"too many parts":  goldenBody[:38] + "ffffffff" + goldenBody[46:],
		"bytes after it":  goldenBody + "00",
		"nothing":         "",
	} {
		_, err := decode(summed(t, body))
		require.ErrorIs(t, err, errDamaged, name)
	}
}

func summed(t testing.TB, body string) []byte {
	t.Helper()
	b, err := hex.DecodeString(body)
	require.NoError(t, err)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// A manifest that can be read has one form. The checksum is made right, so that what is
// behind it is reached.
func FuzzManifest(f *testing.F) {
	f.Add(summed(f, goldenBody))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := decode(b); err == nil {
			require.Equal(t, b, m.encode())
		}
		sum := sha256.Sum256(b)
		b = append(b, sum[:]...)
		if m, err := decode(b); err == nil {
			require.Equal(t, b, m.encode())
		}
	})
}
