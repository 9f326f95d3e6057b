package app_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
)

// filtered are options of a replica with a filter, on two databases that are ready.
func filtered(t *testing.T) app.Options {
	t.Helper()
	opts := namedOptions(t, shared.Database(t), shared.Database(t))
	require.NoError(t, app.Migrate(t.Context(), opts.Databases, opts.Logger))
	opts.DataDir = t.TempDir()
	opts.Filter = app.Filter{On: true, Staleness: 5 * time.Second}
	return opts
}

func decided(t *testing.T, r *app.Replica, name string) string {
	t.Helper()
	return query(t, r, `{ usernameAvailable(name: "`+name+`") { available reason decidedBy } }`)
}

const (
	freeByFilter   = `{"data":{"usernameAvailable":{"available":true,"reason":null,"decidedBy":"FILTER"}}}`
	freeByDatabase = `{"data":{"usernameAvailable":{"available":true,"reason":null,"decidedBy":"DATABASE"}}}`
	reserved       = `{"data":{"usernameAvailable":{"available":false,"reason":"RESERVED","decidedBy":"DATABASE"}}}`
)

// names has each one in another vshard, of both databases.
var names = []string{"ada", "grace", "hopper", "lovelace", "turing", "noether"}

func requireEventually(t *testing.T, r *app.Replica, name, want string) {
	t.Helper()
	var got string
	require.Eventually(t, func() bool { got = decided(t, r, name); return got == want }, 30*time.Second, 20*time.Millisecond, "%s: %s", name, got)
}

// A replica with a filter answers from memory what nobody has, and hears from the
// databases what another one does.
func TestFreeNamesAreAnsweredFromMemory(t *testing.T) {
	t.Parallel()
	opts := filtered(t)
	filtering := start(t, opts)
	for _, name := range names {
		requireEventually(t, filtering, name, freeByFilter)
	}
	opts.Filter.On = false
	other := start(t, opts)
	require.Equal(t, freeByDatabase, decided(t, other, "ada"))
	require.Contains(t, reserve(t, other, "ada"), `"canonical":"ada"`)
	requireEventually(t, filtering, "ada", reserved)
	require.Equal(t, freeByFilter, decided(t, filtering, "grace"))
}

// What a replica is about to hold it does not call free, whether it has heard of it or not.
func TestWhatAReplicaReservesIsNeverFreeThere(t *testing.T) {
	t.Parallel()
	r := start(t, filtered(t))
	requireEventually(t, r, "ada", freeByFilter)
	require.Contains(t, reserve(t, r, "ada"), `"canonical":"ada"`)
	require.Equal(t, reserved, decided(t, r, "ada"))
}

// A replica goes on from its files, with what has come since.
func TestAFilterOutlivesARestart(t *testing.T) {
	t.Parallel()
	opts := filtered(t)
	first := start(t, opts)
	for _, name := range names {
		requireEventually(t, first, name, freeByFilter)
	}
	require.NoError(t, first.Stop(t.Context()))
	held := opts
	held.Filter.On = false
	require.Contains(t, reserve(t, start(t, held), "ada"), `"canonical":"ada"`)
	second := start(t, opts)
	requireEventually(t, second, "grace", freeByFilter)
	requireEventually(t, second, "ada", reserved)
}

// A folder that cannot be written to keeps nothing from one start to the next, and no
// replica from its work.
func TestAFilterNeedsNoFolder(t *testing.T) {
	t.Parallel()
	opts := filtered(t)
	opts.DataDir = keyFile(t, "this is no folder")
	requireEventually(t, start(t, opts), "ada", freeByFilter)
}

// Two replicas of one machine that were given one folder do not share it.
func TestAFolderHasOneReplica(t *testing.T) {
	t.Parallel()
	opts := filtered(t)
	first := start(t, opts)
	second := start(t, opts)
	requireEventually(t, first, "ada", freeByFilter)
	requireEventually(t, second, "ada", freeByFilter)
	require.NoError(t, second.Stop(t.Context()))
	folders, err := filepath.Glob(filepath.Join(opts.DataDir, "filter", "*", "manifest"))
	require.NoError(t, err)
	require.Empty(t, folders, "what the second one knows is kept nowhere")
	require.NoError(t, first.Stop(t.Context()))
	folders, err = filepath.Glob(filepath.Join(opts.DataDir, "filter", "*", "manifest"))
	require.NoError(t, err)
	require.Len(t, folders, 1)
}

func keyFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gossip-keys")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
