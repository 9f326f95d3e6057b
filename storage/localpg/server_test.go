package localpg_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg"
)

func TestStartKeepsData(t *testing.T) {
	t.Parallel()
	dir := seeded(t)
	s := start(t, dir)
	addName(t, s.Endpoint, "anna")
	stop(t, s)
	requireNoProcess(t, dir)
	require.Zero(t, s.PID())

	s = start(t, dir)
	addName(t, s.Endpoint, "bert")
	require.NoError(t, s.Restart(t.Context()))
	require.Equal(t, "anna bert", names(t, s.Endpoint))
}

func TestStartCreatesMissingDatabases(t *testing.T) {
	t.Parallel()
	dir := stateFolder(t)
	odd := `a "quoted" one's \ name`
	for range 2 {
		s, err := localpg.Start(t.Context(), localpg.Options{Dir: dir, Databases: []string{"names", odd}})
		require.NoError(t, err)
		require.Equal(t, odd, query(t, s.DSN(odd), "SELECT current_database()"))
		require.Equal(t, "UTF8 C", query(t, s.DSN("names"), "SELECT current_setting('server_encoding') || ' ' || datcollate "+
			"FROM pg_database WHERE datname = current_database()"))
		stop(t, s)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s, err := localpg.Start(t.Context(), localpg.Options{Dir: seeded(t), Settings: map[string]string{
		"max_connections":  "21",
		"log_line_prefix":  `it's a \ back`,
		"listen_addresses": "*",
	}})
	require.NoError(t, err)
	defer stop(t, s)
	for name, want := range map[string]string{
		"max_connections":    "21",
		"log_line_prefix":    `it's a \ back`,
		"listen_addresses":   "",
		"fsync":              "on",
		"synchronous_commit": "on",
		"data_checksums":     "on",
	} {
		require.Equal(t, want, query(t, s.DSN("postgres"), "SELECT reset_val FROM pg_settings WHERE name = '"+name+"'"), name)
	}
}

func TestSettingThatPostgresRefuses(t *testing.T) {
	t.Parallel()
	dir := seeded(t)
	_, err := localpg.Start(t.Context(), localpg.Options{Dir: dir, Settings: map[string]string{"no_such_setting": "1"}})
	require.ErrorContains(t, err, `unrecognized configuration parameter "no_such_setting"`)
	start(t, dir)
}

func TestSecondStartIsRefused(t *testing.T) {
	t.Parallel()
	dir := seeded(t)
	s := start(t, dir)
	copied := stateFolder(t)
	require.NoError(t, os.Symlink(homeOf(t, dir), filepath.Join(copied, "pg")))
	for _, second := range []string{dir, copied} {
		_, err := localpg.Start(t.Context(), localpg.Options{Dir: second})
		var inUse *localpg.InUseError
		require.ErrorAs(t, err, &inUse)
		require.Equal(t, localpg.InUseError{Dir: second, PID: os.Getpid()}, *inUse)
	}
	addName(t, s.Endpoint, "anna")
}

func TestOneOfManyStartsWins(t *testing.T) {
	t.Parallel()
	dir := stateFolder(t)
	type result struct {
		server *localpg.Server
		err    error
	}
	results := make(chan result)
	const starts = 4
	for range starts {
		go func() {
			s, err := localpg.Start(context.Background(), localpg.Options{Dir: dir})
			results <- result{s, err}
		}()
	}
	won := 0
	for range starts {
		r := <-results
		if r.err == nil {
			won++
			defer stop(t, r.server)
			continue
		}
		require.ErrorAs(t, r.err, new(*localpg.InUseError))
	}
	require.Equal(t, 1, won)
}

func TestStopIsForGood(t *testing.T) {
	t.Parallel()
	s := start(t, seeded(t))
	stop(t, s)
	stop(t, s)
	require.ErrorIs(t, s.Restart(t.Context()), localpg.ErrStopped)
}

func TestStopWithoutTimeLosesNothing(t *testing.T) {
	t.Parallel()
	dir := seeded(t)
	s := start(t, dir)
	addName(t, s.Endpoint, "anna")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, s.Stop(ctx))
	requireNoProcess(t, dir)
	require.Equal(t, "anna", names(t, start(t, dir).Endpoint))
}

func TestStopAfterFolderIsGone(t *testing.T) {
	t.Parallel()
	dir := seeded(t)
	s := start(t, dir)
	pid := s.PID()
	require.NoError(t, os.RemoveAll(dir))
	stop(t, s)
	requireGone(t, pid)
}

func TestStartGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := seeded(t)
	_, err := localpg.Start(ctx, localpg.Options{Dir: dir})
	require.ErrorIs(t, err, context.Canceled)
	start(t, dir)
}
