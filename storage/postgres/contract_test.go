package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/postgres"
	"namegate/storage/storagetest"
)

func TestContractOnTwoDatabases(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	storagetest.Run(t, storagetest.Replicas{A: open(t, o), B: open(t, o)})
	t.Cleanup(func() { requireNoDeadlocks(t, o) })
}

func TestContractOnOneDatabase(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	storagetest.Run(t, storagetest.Replicas{A: open(t, o), B: open(t, o)})
}

func TestContractOnTwoProcesses(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	storagetest.Run(t, storagetest.Replicas{A: open(t, o), B: openRemote(t, o)})
	t.Cleanup(func() { requireNoDeadlocks(t, o) })
}

// A pooler in transaction mode lends a server connection for one transaction
// only, so nothing may be left on it.
func TestContractBehindPgbouncer(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	pooled := o
	pooled.QueryMode = postgres.PlainQueries
	pooled.Databases = startPgbouncer(t, o.Databases)
	require.NoError(t, postgres.Migrate(t.Context(), pooled))
	storagetest.Run(t, storagetest.Replicas{A: open(t, pooled), B: open(t, pooled)})
}

// requireNoDeadlocks reads the counters that the server keeps.
func requireNoDeadlocks(t *testing.T, o postgres.Options) {
	t.Helper()
	for _, d := range o.Databases {
		require.Zero(t, queryOne[int](t, d, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`), d.Name)
	}
}
