package snapshot_test

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/snapshot"
)

const benchParts, benchLength = 64, 2_000_000

// benchSave writes parts of 2 MB, none of which was there before.
func benchSave(b *testing.B, f *snapshot.Folder, tag string) {
	b.Helper()
	data := make([]byte, benchLength)
	var parts []snapshot.Part
	for number := range uint32(benchParts) {
		parts = append(parts, snapshot.Part{
			Number: number, Tag: []byte(tag), Encode: func() ([]byte, error) { return data, nil },
		})
	}
	require.NoError(b, f.Save(b.Context(), nil, parts))
}

func benchFolder(b *testing.B) *snapshot.Folder {
	b.Helper()
	root, err := os.OpenRoot(b.TempDir())
	require.NoError(b, err)
	b.Cleanup(func() { root.Close() })
	b.SetBytes(benchParts * benchLength)
	return snapshot.New(snapshot.OS(root))
}

func BenchmarkSave(b *testing.B) {
	f := benchFolder(b)
	for n := 0; b.Loop(); n++ {
		benchSave(b, f, strconv.Itoa(n))
	}
}

func BenchmarkLoad(b *testing.B) {
	f := benchFolder(b)
	benchSave(b, f, "")
	for b.Loop() {
		require.NoError(b, f.Load(b.Context(), snapshot.Reader{
			Judge:   func([]byte) error { return nil },
			Part:    func(uint32, []byte, []byte) error { return nil },
			Workers: runtime.GOMAXPROCS(0),
		}))
	}
}
