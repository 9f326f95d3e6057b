package snapshot_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/snapshot"
)

// state is what a replica has: parts by number, each tagged by its bytes.
type state struct {
	header string
	parts  map[uint32]string
}

func (s state) save(t *testing.T, f *snapshot.Folder) error {
	t.Helper()
	var parts []snapshot.Part
	for number, data := range s.parts {
		parts = append(parts, snapshot.Part{
			Number: number, Tag: []byte(data),
			Encode: func() ([]byte, error) { return bytes.Repeat([]byte(data), 50), nil },
		})
	}
	return f.Save(t.Context(), []byte(s.header), parts)
}

// load gives what is in the files; the zero state when they hold none.
func load(t *testing.T, f *snapshot.Folder) (s state, err error) {
	t.Helper()
	s.parts = map[uint32]string{}
	var mu sync.Mutex
	err = f.Load(t.Context(), snapshot.Reader{
		Judge: func(header []byte) error { s.header = string(header); return nil },
		Part: func(number uint32, tag, data []byte) error {
			mu.Lock()
			defer mu.Unlock()
			require.Equal(t, bytes.Repeat(tag, 50), data)
			s.parts[number] = string(tag)
			return nil
		},
		Workers: 3,
	})
	if errors.Is(err, snapshot.ErrNone) {
		return state{}, nil
	}
	return s, err
}

func requireState(t *testing.T, want state, f *snapshot.Folder) {
	t.Helper()
	got, err := load(t, f)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Zero(t, f.Counters.Damaged.Load())
}

// partFiles are the names of the files of parts.
func partFiles(d *disk) []string {
	return slices.Sorted(func(yield func(string) bool) {
		for name := range maps.Keys(d.names) {
			if strings.HasSuffix(name, ".part") && !strings.HasPrefix(name, "aside/") && !yield(name) {
				return
			}
		}
	})
}

var (
	first  = state{"first", map[uint32]string{0: "a", 1: "b", 2: "c"}}
	second = state{"second", map[uint32]string{0: "a", 1: "B", 3: "d"}}
	third  = state{"third", map[uint32]string{0: "A", 1: "B", 2: "c"}}
)
