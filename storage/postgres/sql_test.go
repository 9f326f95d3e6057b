package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage/postgres"
)

// connect gives a connection that stands for an operator or another program.
func connect(t testing.TB, d postgres.Database) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), d.DSN)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func execute(t testing.TB, d postgres.Database, sql string, args ...any) {
	t.Helper()
	_, err := connect(t, d).Exec(context.Background(), sql, args...)
	require.NoError(t, err)
}

func queryOne[T any](t testing.TB, d postgres.Database, sql string, args ...any) T {
	t.Helper()
	rows, err := connect(t, d).Query(context.Background(), sql, args...)
	require.NoError(t, err)
	value, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	require.NoError(t, err)
	return value
}
