package faults_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// damage is done to the files of a replica.
type damage struct {
	what  string
	files func(*testing.T, *filed) // puts them into filed.dir
	aside bool                     // some are set aside
}

// filed is what there is to make files of.
type filed struct {
	*registry
	dir           string
	good, foreign fs.FS // whole, of this registry and of another
}

var damages = []damage{
	{"none", spoil("", nil), false},
	{"the manifest is cut off", spoil("manifest", half), true},
	{"a bit of the manifest is flipped", spoil("manifest", flipOne), true},
	{"parts are cut off", spoil("*.part", half), true},
	{"bits of the parts are flipped", spoil("*.part", flipMany), true},
	{"parts are empty", spoil("*.part", func([]byte) []byte { return nil }), true},
	{"all are another registry's", foreignFiles, true},
	{"the parts are another registry's", foreignParts, true},
	{"what came since is trimmed", tooOld, false},
}

// A replica starts on files of which some or all are not what it wrote, sets them aside and
// is right, also about what was reserved since they were written.
func TestFilesAreDamaged(t *testing.T) {
	t.Parallel()
	g, other := sharedRegistry(t), sharedRegistry(t)
	replicas := replicasOf(g.fleet(t, 2, direct))
	writer, damaged := replicas[0], replicas[1]
	w := newWitness(t, g.staleness)
	names := freshNames(50)
	writer.hold(t, w, names...)
	w.requireKnown(t, names[len(names)-1], damaged)
	damaged.stop(t)
	f := &filed{registry: g, dir: damaged.files(), good: keep(t, damaged), foreign: other.filesOf(t)}
	for _, d := range damages {
		require.NoError(t, os.RemoveAll(f.dir))
		d.files(t, f)
		writer.hold(t, w, freshName())
		damaged.start(t)
		stop := w.watch(t, damaged)
		awaitAuthority(t, damaged)
		t.Logf("%s: the filter answers %s after the start", d.what, time.Since(damaged.started).Round(time.Millisecond))
		stop()
		aside, err := filepath.Glob(filepath.Join(f.dir, "aside", "*"))
		require.NoError(t, err)
		require.Equal(t, d.aside, len(aside) > 0, "%s: %d files are set aside\n%s", d.what, len(aside), damaged.log)
		damaged.kill() // it writes no others
	}
}

// files is the folder of the replica's filter.
func (r *replica) files() string { return filepath.Join(r.dataDir, "filter", r.id) }

// keep copies the files of a replica that has ended.
func keep(t testing.TB, r *replica) fs.FS {
	t.Helper()
	kept := filepath.Join(t.TempDir(), "files")
	require.NoError(t, os.CopyFS(kept, os.DirFS(r.files())))
	return os.DirFS(kept)
}

// filesOf are those of a replica of a registry.
func (g *registry) filesOf(t testing.TB) fs.FS {
	t.Helper()
	r := g.replica(t, "alone").start(t)
	awaitAuthority(t, r)
	r.stop(t)
	return os.DirFS(r.files())
}

// spoil makes something else of the files of a pattern.
func spoil(pattern string, to func([]byte) []byte) func(*testing.T, *filed) {
	return func(t *testing.T, f *filed) {
		t.Helper()
		require.NoError(t, os.CopyFS(f.dir, f.good))
		files, err := fs.Glob(os.DirFS(f.dir), pattern)
		require.NoError(t, err)
		require.Equal(t, pattern == "", len(files) == 0)
		for _, file := range files {
			path := filepath.Join(f.dir, file)
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, to(b), 0o600))
		}
	}
}

func half(b []byte) []byte { return b[:len(b)/2] }

func flipOne(b []byte) []byte {
	b[len(b)/2] ^= 1
	return b
}

func flipMany(b []byte) []byte {
	for i := len(b) / 3; i < len(b); i++ {
		b[i] ^= 1
	}
	return b
}

func foreignFiles(t *testing.T, f *filed) { require.NoError(t, os.CopyFS(f.dir, f.foreign)) }

// foreignParts puts the bytes of another registry's parts into those of this one.
func foreignParts(t *testing.T, f *filed) {
	t.Helper()
	parts, err := fs.Glob(f.foreign, "*.part")
	require.NoError(t, err)
	spoil("*.part", func([]byte) []byte {
		part, err := fs.ReadFile(f.foreign, parts[0])
		require.NoError(t, err)
		parts = append(parts[1:], parts[0])
		return part
	})(t, f)
}

// tooOld takes all changes away that a replica has not read which was stopped, as time does.
func tooOld(t *testing.T, f *filed) {
	t.Helper()
	require.NoError(t, os.CopyFS(f.dir, f.good))
	for _, dsn := range f.dsns {
		psql(t, dsn, `BEGIN`, `UPDATE identity SET feed_trimmed = (SELECT coalesce(max(xid), '0') FROM feed)`, `DELETE FROM feed`, `COMMIT`)
	}
}
