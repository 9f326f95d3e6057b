package snapshot_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/snapshot"
)

func TestSaveAndLoad(t *testing.T) {
	t.Parallel()
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer root.Close()
	f := snapshot.New(snapshot.OS(root))
	requireState(t, state{}, f)
	for _, s := range []state{first, second, {"no parts", map[uint32]string{}}, third} {
		require.NoError(t, s.save(t, f))
		requireState(t, s, f)
		requireState(t, s, snapshot.New(snapshot.OS(root)))
	}
	require.ErrorIs(t, f.Load(t.Context(), snapshot.Reader{Judge: func([]byte) error { return errors.New("foreign") }}), snapshot.ErrNone)
	d, err := root.Open("aside")
	require.NoError(t, err)
	defer d.Close()
	names, err := d.Readdirnames(-1)
	require.NoError(t, err)
	require.Equal(t, []string{"1-manifest"}, names)
}

func TestOnlyWhatChangedIsWritten(t *testing.T) {
	t.Parallel()
	d := newDisk()
	f := snapshot.New(d)
	require.NoError(t, first.save(t, f))
	require.NoError(t, second.save(t, f))
	require.Equal(t, []string{"0-1.part", "1-2.part", "3-2.part"}, partFiles(d))
	require.EqualValues(t, 5, f.Counters.Written.Load())
	require.EqualValues(t, 1, f.Counters.Kept.Load())
}

// flip damages a file.
func flip(t *testing.T, d *disk, name string, at int) {
	t.Helper()
	require.Contains(t, d.names, name)
	d.names[name].data[at] ^= 4
}

func TestADamagedManifest(t *testing.T) {
	t.Parallel()
	whole := newDisk()
	require.NoError(t, first.save(t, snapshot.New(whole)))
	n := len(whole.names["manifest"].data)
	for at := range n {
		d := newDisk()
		f := snapshot.New(d)
		require.NoError(t, first.save(t, f))
		flip(t, d, "manifest", at)
		got, err := load(t, f)
		require.NoError(t, err)
		require.Equal(t, state{}, got, "byte %d", at)
		require.EqualValues(t, 1, f.Counters.Damaged.Load())
		require.Contains(t, d.names, "aside/1-manifest")
		require.Empty(t, partFiles(d))
	}
	for _, length := range []int{0, 1, n - 1, n + 1, 10 << 20} {
		d := newDisk()
		f := snapshot.New(d)
		require.NoError(t, first.save(t, f))
		data := d.names["manifest"].data
		d.names["manifest"].data = append(data[:min(n, length)], make([]byte, max(0, length-n))...)
		require.NoError(t, third.save(t, f), "a save does without it")
		require.EqualValues(t, 1, f.Counters.Damaged.Load())
		got, err := load(t, f)
		require.NoError(t, err)
		require.Equal(t, third, got)
	}
}

func TestADamagedPart(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*disk){
		"flipped": func(d *disk) { d.names["1-1.part"].data[20] ^= 1 },
		"shorter": func(d *disk) { d.names["1-1.part"].data = d.names["1-1.part"].data[1:] },
		"longer":  func(d *disk) { d.names["1-1.part"].data = append(d.names["1-1.part"].data, 0) },
		"another": func(d *disk) { d.names["1-1.part"].data = d.names["2-1.part"].data },
		"gone":    func(d *disk) { delete(d.names, "1-1.part") },
	} {
		d := newDisk()
		f := snapshot.New(d)
		require.NoError(t, first.save(t, f))
		damage(d)
		got, err := load(t, f)
		require.NoError(t, err, name)
		require.Equal(t, state{"first", map[uint32]string{0: "a", 2: "c"}}, got, "the others are good")
		require.EqualValues(t, 1, f.Counters.Damaged.Load())
		require.Equal(t, name != "gone", d.names["aside/1-1-1.part"] != nil)
		require.NoError(t, first.save(t, f))
		require.Equal(t, []string{"0-1.part", "1-2.part", "2-1.part"}, partFiles(d), "written anew, though its tag is the same")
		got, err = load(t, f)
		require.NoError(t, err)
		require.Equal(t, first, got)
	}
}

// A part that is there, and that nobody can read, takes none of the others with it, and
// keeps nobody waiting.
func TestAPartThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link":   func(path string) error { return os.Symlink("/etc/passwd", path) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		require.NoError(t, err)
		f := snapshot.New(snapshot.OS(root))
		require.NoError(t, first.save(t, f))
		path := filepath.Join(dir, "1-1.part")
		require.NoError(t, os.Remove(path))
		require.NoError(t, spoil(path))
		got, err := load(t, f)
		require.NoError(t, err, name)
		require.Equal(t, state{"first", map[uint32]string{0: "a", 2: "c"}}, got, "the others are good")
		require.EqualValues(t, 1, f.Counters.Damaged.Load())
		require.NoError(t, root.Close())
	}
}

func TestTheCallerRefuses(t *testing.T) {
	t.Parallel()
	d := newDisk()
	f := snapshot.New(d)
	require.NoError(t, first.save(t, f))
	foreign := errors.New("foreign")
	accept := func([]byte) error { return nil }
	require.NoError(t, f.Load(t.Context(), snapshot.Reader{Judge: accept, Part: func(number uint32, _, _ []byte) error {
		if number == 1 {
			return foreign
		}
		return nil
	}}))
	require.EqualValues(t, 1, f.Counters.Foreign.Load())
	require.Contains(t, d.names, "aside/1-1-1.part")
	err := f.Load(t.Context(), snapshot.Reader{Judge: func(header []byte) error {
		require.Equal(t, "first", string(header))
		return foreign
	}})
	require.ErrorIs(t, err, snapshot.ErrNone)
	require.ErrorIs(t, err, foreign)
	require.EqualValues(t, 2, f.Counters.Foreign.Load())
	require.Contains(t, d.names, "aside/2-manifest")
	require.Empty(t, partFiles(d), "they went with their manifest")
	requireNone(t, f)
}

func requireNone(t *testing.T, f *snapshot.Folder) {
	t.Helper()
	require.ErrorIs(t, f.Load(t.Context(), snapshot.Reader{}), snapshot.ErrNone)
}

func TestWhatIsSetAsideIsBounded(t *testing.T) {
	t.Parallel()
	d := newDisk()
	f := snapshot.New(d)
	for range 20 {
		require.NoError(t, first.save(t, f))
		flip(t, d, "manifest", 30)
		requireNone(t, f)
	}
	names, err := d.ReadDir("aside")
	require.NoError(t, err)
	slices.Sort(names)
	var want []string
	for n := 13; n <= 20; n++ {
		want = append(want, fmt.Sprintf("%d-manifest", n))
	}
	require.Equal(t, want, names, "the last ones")
}

// No memory is taken for what is longer than it can be.
func TestAVeryLongFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]state{"manifest": {}, "1-1.part": {"first", map[uint32]string{0: "a", 2: "c"}}} {
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		require.NoError(t, err)
		defer root.Close()
		f := snapshot.New(snapshot.OS(root))
		require.NoError(t, first.save(t, f))
		require.NoError(t, os.Truncate(filepath.Join(dir, name), 1<<40)) // a hole
		got, err := load(t, f)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.EqualValues(t, 1, f.Counters.Damaged.Load())
	}
}

// Files of others are left alone.
func TestOtherFilesStay(t *testing.T) {
	t.Parallel()
	d := newDisk()
	d.names["replica-id"], d.names["9-9.part"] = &inode{}, &inode{}
	f := snapshot.New(d)
	require.NoError(t, first.save(t, f))
	require.Contains(t, d.names, "replica-id")
	require.NotContains(t, d.names, "9-9.part")
}

func TestBadStatesAreNotSaved(t *testing.T) {
	t.Parallel()
	f := snapshot.New(newDisk())
	require.NoError(t, first.save(t, f))
	bytes := func(n int) func() ([]byte, error) { return func() ([]byte, error) { return make([]byte, n), nil } }
	broken := errors.New("broken")
	for reason, parts := range map[string][]snapshot.Part{
		"comes twice": {{Number: 1, Encode: bytes(1)}, {Number: 1, Encode: bytes(1)}},
		"65 bytes":    {{Tag: make([]byte, 65), Encode: bytes(1)}},
		"64 MiB":      {{Encode: bytes(64<<20 + 1)}},
		"broken":      {{Encode: func() ([]byte, error) { return nil, broken }}},
	} {
		require.ErrorContains(t, f.Save(t.Context(), nil, parts), reason)
	}
	require.Error(t, f.Save(t.Context(), make([]byte, 1<<20+1), nil))
	require.Error(t, f.Save(t.Context(), nil, make([]snapshot.Part, 1<<16+1)))
	requireState(t, first, f)
}

func TestCancelledCalls(t *testing.T) {
	t.Parallel()
	f := snapshot.New(newDisk())
	require.NoError(t, first.save(t, f))
	ctx, cancel := context.WithCancel(t.Context())
	err := f.Save(ctx, []byte("x"), []snapshot.Part{
		{Number: 0, Encode: func() ([]byte, error) { cancel(); return nil, nil }}, {Number: 1},
	})
	require.ErrorIs(t, err, context.Canceled)
	requireState(t, first, f)
	ctx, cancel = context.WithCancel(t.Context())
	err = f.Load(ctx, snapshot.Reader{
		Judge: func([]byte) error { return nil },
		Part:  func(uint32, []byte, []byte) error { cancel(); return ctx.Err() },
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, f.Counters.Foreign.Load(), "who gives up refuses nothing")
	requireState(t, first, f)
}

// A folder that cannot be read is no reason to drop what is in it.
func TestAFolderThatCannotBeRead(t *testing.T) {
	t.Parallel()
	d := newDisk()
	require.NoError(t, first.save(t, snapshot.New(d)))
	closed := errors.New("closed")
	f := snapshot.New(&shut{disk: d, err: closed})
	require.ErrorIs(t, f.Load(t.Context(), snapshot.Reader{}), closed)
	require.ErrorIs(t, second.save(t, f), closed)
	requireState(t, first, snapshot.New(d))
}

// Numbers may be anything, and so may the order of parts.
func TestLargeNumbers(t *testing.T) {
	t.Parallel()
	f := snapshot.New(newDisk())
	s := state{strings.Repeat("h", 1000), map[uint32]string{0: "a", 1<<32 - 1: "b", 1 << 31: "c"}}
	require.NoError(t, s.save(t, f))
	requireState(t, s, f)
	require.NoError(t, s.save(t, f))
	require.EqualValues(t, 3, f.Counters.Kept.Load())
}
