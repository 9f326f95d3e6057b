package pgtest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/localpg/pgtest"
)

var shared pgtest.Shared

func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }

func query(t *testing.T, dsn, statement string) string {
	t.Helper()
	out, err := exec.Command("psql", "-XAtqc", statement, dsn).CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

func TestDatabasesAreApart(t *testing.T) {
	t.Parallel()
	a, b := shared.Database(t), shared.Database(t)
	query(t, a, "CREATE TABLE held (name text)")
	require.Equal(t, "0", query(t, b, "SELECT count(*) FROM pg_class WHERE relname = 'held'"))
}

func TestDatabaseIsDroppedAtTheEndOfItsTest(t *testing.T) {
	t.Parallel()
	var name string
	t.Run("inner", func(t *testing.T) {
		name = query(t, shared.Database(t), "SELECT current_database()")
	})
	dsn := shared.Database(t)
	require.Equal(t, "f", query(t, dsn, "SELECT '"+name+"' IN (SELECT datname FROM pg_database)"))
}

func TestServersAreApart(t *testing.T) {
	t.Parallel()
	one := pgtest.NewServer(t, nil, "names")
	two := pgtest.NewServer(t, map[string]string{"default_transaction_isolation": "repeatable read"}, "names")
	require.Equal(t, "read committed", query(t, one.DSN("names"), "SHOW transaction_isolation"))
	require.Equal(t, "repeatable read", query(t, two.DSN("names"), "SHOW transaction_isolation"))
	require.NoError(t, one.Kill())
	require.Equal(t, "16", query(t, two.DSN("names"), "SHOW max_prepared_transactions"))
}
