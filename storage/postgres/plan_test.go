package postgres_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage/postgres"
)

// A statement that was planned while the tables were empty must still find rows
// by index when they are large, so no plan may read a table from end to end.
func TestPlansReadNoWholeTable(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	conn := connect(t, o.Databases[0])
	for name, s := range postgres.PlannedStatements() {
		t.Run(name, func(t *testing.T) {
			plan := explain(t, conn, s)
			require.NotContains(t, plan, "Seq Scan", plan)
			require.Contains(t, plan, "Index", plan)
		})
	}
}

// explain plans a statement as the store does, with generic parameters, on
// tables that the planner knows to be empty.
func explain(t *testing.T, conn *pgx.Conn, s postgres.PlannedStatement) string {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback(t.Context())) }()
	_, err = tx.Exec(t.Context(), s.Limits)
	require.NoError(t, err)
	rows, err := tx.Query(t.Context(), "EXPLAIN (COSTS OFF) "+s.SQL, append([]any{pgx.QueryExecModeCacheStatement}, s.Args...)...)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return strings.Join(lines, "\n")
}
