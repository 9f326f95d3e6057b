package bloomnet_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet"
	"namegate/bloomnet/member/membertest"
	"namegate/bloomnet/shard"
	"namegate/bloomnet/snapshot"
)

// startOn starts a replica alone, with files in a folder.
func startOn(t *testing.T, dir string, fingerprint [8]byte, sources ...bloomnet.Source) *bloomnet.Net {
	t.Helper()
	return startLogging(t, dir, discard, fingerprint, sources...)
}

func startLogging(t *testing.T, dir string, log *slog.Logger, fingerprint [8]byte, sources ...bloomnet.Source) *bloomnet.Net {
	t.Helper()
	n, err := bloomnet.Start(t.Context(), optionsOn(t, dir, log, fingerprint, sources...))
	require.NoError(t, err)
	return n
}

func optionsOn(t *testing.T, dir string, log *slog.Logger, fingerprint [8]byte, sources ...bloomnet.Source) bloomnet.Options {
	t.Helper()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	return bloomnet.Options{
		Shards: shards, Sources: sources, Staleness: staleness, VerifyEvery: verifyEvery, Clock: now, Random: func() float64 { return 0.5 },
		Fingerprint: fingerprint, Files: snapshot.New(snapshot.OS(root)), Logger: log,
	}
}

func TestARestartReadsNoTable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDatabase("a")
		d.put(false, "ada", "old")
		d.put(true, "bob")
		n := startOn(t, dir, fingerprint, d)
		pass(settled)
		stop(n)
		copies := d.counts()
		d.put(false, "carol") // while the replica is away
		d.remove("bob")
		d.put(true, "dan")
		d.remove("dan")
		d.put(false, "dan")
		n = startOn(t, dir, fingerprint, d)
		defer stop(n)
		require.Equal(t, shard.Unknown, standing(n, "zoe"), "what a file says is not of now")
		pass(settled)
		require.Equal(t, copies, d.counts())
		for name, want := range map[string]shard.Standing{
			"ada": shard.Maybe, "carol": shard.Maybe, "dan": shard.Maybe, "bob": shard.Free, "zoe": shard.Free,
		} {
			require.Equal(t, want, standing(n, name), name)
		}
	})
}

// A signal that comes while files are read, of which there may be gigabytes, ends the start
// and not the files.
func TestAStartThatIsCalledOffKeepsTheFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDatabase("a")
		d.put(false, "ada")
		n := startOn(t, dir, fingerprint, d)
		pass(settled)
		stop(n)
		copies := d.counts()
		ctx, cancel := context.WithCancelCause(t.Context())
		called := errors.New("called off")
		cancel(called)
		_, err := bloomnet.Start(ctx, optionsOn(t, dir, discard, fingerprint, d))
		require.ErrorIs(t, err, called)
		n = startOn(t, dir, fingerprint, d)
		defer stop(n)
		pass(settled)
		require.Equal(t, copies, d.counts())
		require.Equal(t, shard.Maybe, standing(n, "ada"))
	})
}

// Files that are damaged, or of another registry, or of a database that was set back are not
// used, which is said once: the tables are read.
func TestFilesThatDoNotFit(t *testing.T) {
	t.Parallel()
	told := map[string]string{
		"of another registry":  "damaged=0 foreign=1 cause=\"no snapshot\\nfiles are of another registry or release",
		"damaged":              "damaged=8 foreign=0 cause=\"files are missing, or not as they were written\"",
		"of before a failover": "position in the feed is void",
	}
	for name, spoil := range map[string]func(*testing.T, string, *fakeDatabase) [8]byte{
		"of another registry": func(*testing.T, string, *fakeDatabase) [8]byte { return [8]byte([]byte("filter 2")) },
		"damaged": func(t *testing.T, dir string, _ *fakeDatabase) [8]byte {
			parts, err := filepath.Glob(filepath.Join(dir, "*.part"))
			require.NoError(t, err)
			require.Len(t, parts, shards)
			for _, p := range parts {
				require.NoError(t, os.Truncate(p, 10))
			}
			return fingerprint
		},
		"of before a failover": func(_ *testing.T, _ string, d *fakeDatabase) [8]byte {
			d.restore()
			return fingerprint
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				d := newFakeDatabase("a")
				d.put(false, "ada")
				n := startOn(t, dir, fingerprint, d)
				pass(settled)
				stop(n)
				copies := d.counts()
				var log membertest.Log
				n = startLogging(t, dir, log.Logger(), spoil(t, dir, d), d)
				defer stop(n)
				pass(settled)
				require.Greater(t, d.counts(), copies)
				require.Equal(t, shard.Maybe, standing(n, "ada"))
				require.Equal(t, shard.Free, standing(n, "bob"))
				require.Equal(t, 1, log.Count("level=WARN"))
				require.Equal(t, 1, log.Count(told[name]), log.String())
			})
		})
	}
}

// A database that is away at the end does not take its shards out of the files.
func TestWhatWasVouchedForIsSaved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDatabase("a")
		d.put(false, "ada")
		n := startOn(t, dir, fingerprint, d)
		pass(settled)
		d.fail(errAway)
		pass(time.Minute)
		stop(n)
		d.fail(nil)
		copies := d.counts()
		n = startOn(t, dir, fingerprint, d)
		defer stop(n)
		pass(settled)
		require.Equal(t, copies, d.counts())
		require.Equal(t, shard.Maybe, standing(n, "ada"))
	})
}

// A shard went to another database and back while nothing changed in its own. What it got
// there is in its file: the positions of the next start are past it.
func TestAFileIsWrittenAnewAfterAMove(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a, b := newFakeDatabase("a"), newFakeDatabase("b")
		b.own(0)
		n := startOn(t, dir, fingerprint, a, b)
		pass(settled)
		stop(n) // files of the first stay
		n = startOn(t, dir, fingerprint, a, b)
		pass(settled)
		a.own(0)
		b.own(2)
		pass(settled)
		b.put(false, "ada")
		pass(settled)
		b.mu.Lock()
		delete(b.rows, "ada") // moved with its shard: no change that a feed tells of
		b.mu.Unlock()
		b.own(0)
		a.own(3)
		a.plant("ada")
		pass(settled)
		require.Equal(t, shard.Maybe, standing(n, "ada"))
		stop(n)
		copies := a.counts()
		n = startOn(t, dir, fingerprint, a, b)
		defer stop(n)
		pass(settled)
		require.Equal(t, copies, a.counts(), "from files")
		require.Equal(t, shard.Maybe, standing(n, "ada"))
	})
}

// After names of databases were swapped the files are of no use, and do no harm.
func TestFilesOfDatabasesWithSwappedNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		a, b := newFakeDatabase("a"), newFakeDatabase("b")
		for i := range shards {
			[]*fakeDatabase{a, b}[i%2].owned[i] = 0
		}
		n := startOn(t, dir, fingerprint, a, b)
		pass(settled)
		stop(n)
		a.put(false, "ada")
		b.put(false, "bob")
		n = startOn(t, dir, fingerprint, alias{a, "b"}, alias{b, "a"})
		defer stop(n)
		pass(settled)
		for name, want := range map[string]shard.Standing{"ada": shard.Maybe, "bob": shard.Maybe, "carol": shard.Free, "dan": shard.Free} {
			require.Equal(t, want, standing(n, name), name)
		}
	})
}
