package app_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
)

func TestOptionsOfTheFilterAreChecked(t *testing.T) {
	t.Parallel()
	for flag, spoil := range map[string]func(*app.Options){
		"--staleness":                         func(o *app.Options) { o.Filter.Staleness = time.Millisecond },
		"--gossip-key-file":                   func(o *app.Options) { o.Fleet = app.Fleet{Join: []string{"10.0.0.2:7946"}} },
		"--advertise":                         func(o *app.Options) { o.Fleet = app.Fleet{Insecure: true, Gossip: ":7946", Transfer: ":7947"} },
		"--replica-id":                        func(o *app.Options) { o.Fleet.ReplicaID = "../elsewhere" },
		"--advertise needs --gossip-key-file": func(o *app.Options) { o.Fleet = app.Fleet{Advertise: "10.0.0.1"} },
		"--advertise must be the IP address": func(o *app.Options) {
			o.Fleet = app.Fleet{Insecure: true, Gossip: ":7946", Transfer: ":7947", Advertise: "224.0.0.1"}
		},
		`--join must be HOST:PORT, not "10.0.0.2:http"`: func(o *app.Options) {
			o.Fleet = app.Fleet{Insecure: true, Gossip: "10.0.0.1:7946", Transfer: ":7947", Join: []string{"10.0.0.2:http"}}
		},
		"--gossip-insecure is to do without --gossip-key-file": func(o *app.Options) {
			o.Fleet = app.Fleet{Insecure: true, KeyFile: "keys", Gossip: "10.0.0.1:7946", Transfer: ":7947"}
		},
		"--gossip must": func(o *app.Options) {
			o.Fleet = app.Fleet{Insecure: true, Gossip: "7946", Transfer: ":7947", Advertise: "10.0.0.1"}
		},
	} {
		opts := devOptions(t, t.TempDir())
		opts.Filter = app.Filter{On: true, Staleness: time.Second}
		spoil(&opts)
		_, err := app.New(opts)
		require.ErrorContains(t, err, flag)
	}
}

func TestKeysOfTheFleetAreChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":      "is empty",
		"short": "fewer than 32 bytes",
	} {
		opts := filtered(t)
		opts.Fleet = app.Fleet{KeyFile: keyFile(t, text), Gossip: "127.0.0.1:0", Transfer: "127.0.0.1:0"}
		r, err := app.New(opts)
		require.NoError(t, err)
		err = r.Start(t.Context())
		require.ErrorContains(t, err, want)
		require.False(t, strings.Contains(err.Error(), "short"), "no secret in an error")
	}
}

// logged starts a replica and stops it, and gives its log.
func logged(t *testing.T, opts app.Options) string {
	t.Helper()
	var log bytes.Buffer
	opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
	r := start(t, opts)
	require.NoError(t, r.Stop(t.Context()))
	return log.String()
}

func TestAFleetThatIsNotSafeOrNotUsedIsSaid(t *testing.T) {
	t.Parallel()
	opts := filtered(t)
	opts.Fleet = app.Fleet{Insecure: true, Gossip: "127.0.0.1:0", Transfer: "127.0.0.1:0"}
	require.Contains(t, logged(t, opts), "flag=--gossip-insecure")
	opts.Filter.On = false
	require.Contains(t, logged(t, opts), "flag=--no-filter")
}

// A crash may leave an empty file; another one is not ours to replace.
func TestAFileWithoutAReplicaID(t *testing.T) {
	t.Parallel()
	opts := filtered(t)
	path := filepath.Join(opts.DataDir, "replica-id")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NotContains(t, logged(t, opts), "is not kept")
	id, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotEmpty(t, id)
	require.NoError(t, os.WriteFile(path, []byte("two words"), 0o600))
	require.Contains(t, logged(t, opts), "replica-id does not hold a replica id")
}

// Replicas whose operators call the databases by each other's names share one filter.
func TestAFleetNeedNotAgreeOnNamesOfDatabases(t *testing.T) {
	t.Parallel()
	opts := filtered(t)
	opts.Fleet = app.Fleet{KeyFile: keyFile(t, strings.Repeat("k", 32)), Gossip: "127.0.0.1:0", Transfer: "127.0.0.1:0"}
	one := start(t, opts)
	for _, name := range names {
		requireEventually(t, one, name, freeByFilter)
	}
	var log bytes.Buffer
	opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
	opts.DataDir, opts.Fleet.Join = t.TempDir(), []string{one.GossipAddr()}
	opts.Named = []app.Database{{Name: "db1", DSN: opts.Named[1].DSN}, {Name: "db2", DSN: opts.Named[0].DSN}}
	other := start(t, opts)
	require.Contains(t, reserve(t, one, "ada"), `"canonical":"ada"`)
	requireEventually(t, other, "ada", reserved)
	for _, name := range names[1:] {
		requireEventually(t, other, name, freeByFilter)
	}
	require.NoError(t, other.Stop(t.Context()))
	require.Equal(t, 1, strings.Count(log.String(), "level=WARN"), "that there is no key for access tokens: %s", log.String())
}
