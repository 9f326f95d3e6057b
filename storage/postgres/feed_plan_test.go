package postgres_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage/feed"
	"namegate/storage/postgres"
)

// Every partition is found in by its index, by conditions alone: no filter, no
// parallel workers, no table from end to end.
func TestPlansOfTheFeed(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	conn := connect(t, o.Databases[0])
	partitions := queryOne[int](t, o.Databases[0], `SELECT count(*) FROM pg_inherits WHERE inhparent = 'feed'::regclass`)
	scans := map[string]int{postgres.FeedPollSQL: 3, postgres.FeedStartSQL: 1} // newer, running and witness; newest
	for sql, each := range scans {
		plan := explainGeneric(t, conn, sql, feed.Position{Xmax: 3, Running: []uint64{1}}, "COSTS OFF")
		for _, bad := range []string{"Seq Scan", "Bitmap", "Gather", "Filter:"} {
			require.NotContains(t, plan, bad, plan)
		}
		require.Equal(t, each*partitions, strings.Count(plan, "_xid_id_idx"), plan)
	}
	plan := explainGeneric(t, conn, postgres.FeedPollSQL, feed.Position{Xmax: 3, Running: []uint64{1}}, "COSTS OFF")
	for _, condition := range []string{"Index Cond: (xid = $1)", "Index Cond: (xid >= $2)", "Index Cond: (xid = ANY ($3))"} {
		require.Equal(t, partitions, strings.Count(plan, condition), plan)
	}
}

// explainGeneric explains a statement of the feed by the one plan that is kept for
// all parameters.
func explainGeneric(t *testing.T, conn *pgx.Conn, sql string, p feed.Position, options string) string {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback(t.Context())) }()
	arguments := ""
	if strings.Contains(sql, "$") {
		running := strings.Trim(strings.ReplaceAll(fmt.Sprint(p.Running), " ", ","), "[]")
		arguments = fmt.Sprintf(" ('%d', '%d', '{%s}', %d)", p.Newest(), p.Xmax, running, postgres.FeedPageRows+1)
	}
	for _, s := range []string{postgres.FeedLimits, `DEALLOCATE ALL`, `PREPARE kept AS ` + sql} {
		_, err = tx.Exec(t.Context(), s, pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err)
	}
	rows, err := tx.Query(t.Context(), "EXPLAIN ("+options+") EXECUTE kept"+arguments, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return strings.Join(lines, "\n")
}

// A poll costs what is new, beside large partitions and a transaction that has
// been open since long before them.
func TestAPollBesideALongTransaction(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	r := feedOn(t, o)
	f := follow(t, r)
	long, err := connect(t, d).Begin(t.Context())
	require.NoError(t, err)
	_, err = long.Exec(t.Context(), addSQL, "long")
	require.NoError(t, err)
	execute(t, d, `DO $$ BEGIN FOR i IN 1..200 LOOP
		INSERT INTO feed (at, cause, epochs, vshards, kinds, changes, states, keys, actors)
		SELECT now() - interval '1 second' * n, 'TEST', '{1}', '{0}', '{1}', '{1}', '{1}', ARRAY[n::text], '{""}' FROM generate_series(1, 500) n;
		COMMIT; END LOOP; END $$`)
	require.NoError(t, f.poll(t.Context(), r))
	require.Len(t, f.read, 200*500)
	p := followBeside(t, r, 1).position(t)
	add(t, d, "new")
	conn := connect(t, d)
	require.Less(t, buffers(t, conn, p), 400)
	require.NoError(t, long.Commit(t.Context()))
	require.NoError(t, f.poll(t.Context(), r))
	require.Equal(t, []string{"long", "new"}, f.keys()[200*500:])
}

// buffers is how many pages a poll looks at.
func buffers(t *testing.T, conn *pgx.Conn, p feed.Position) int {
	t.Helper()
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	text := explainGeneric(t, conn, postgres.FeedPollSQL, p, "ANALYZE, BUFFERS, FORMAT JSON")
	require.NoError(t, json.Unmarshal([]byte(text), &plans))
	return plans[0].Plan.Hit + plans[0].Plan.Read
}
