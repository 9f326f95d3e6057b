package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"namegate/storage/feed"
	"namegate/storage/postgres"
)

// Every table is found in by its index, by conditions alone: no parallel workers, no
// table from end to end, but for the one row of identity.
func TestPlansOfTheFeed(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	add(t, d, "past")
	putAside(t, open(t, o), d, "1 hour")
	conn := connect(t, d)
	p := feed.Position{Xmax: 3, Running: []uint64{1}}
	for sql, scans := range map[string]int{postgres.FeedPagesSQL: 3 * 3, postgres.FeedStartSQL: 1} {
		plan := explainGeneric(t, conn, sql, p, "COSTS OFF")
		requireIndexes(t, plan)
		require.Equal(t, scans, strings.Count(plan, "xid_id_idx"), plan)
	}
	plans := strings.Join(explainPoll(t, d, p), "\n")
	requireIndexes(t, plans)
	for _, condition := range []string{"Index Cond: (xid = $1)", "Index Cond: (xid > $1)", "Index Cond: (xid = ANY ($2))"} {
		require.Contains(t, plans, condition)
	}
	require.Contains(t, plans, "Backward using feed_xid_id_idx")
}

func requireIndexes(t *testing.T, plan string) {
	t.Helper()
	left := strings.ReplaceAll(plan, "Seq Scan on identity i", "")
	for _, bad := range []string{"Seq Scan", "Bitmap", "Gather", "JIT", "Filter:"} {
		require.NotContains(t, left, bad, plan)
	}
}

// explainPoll gives the plans of a poll: of the statements within, then of itself.
func explainPoll(t *testing.T, d postgres.Database, p feed.Position) (plans []string) {
	t.Helper()
	config, err := pgx.ParseConfig(d.DSN)
	require.NoError(t, err)
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { plans = append(plans, n.Message) }
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	_, err = conn.Exec(t.Context(), `LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
		SET client_min_messages = log`, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `SELECT feed_poll($1, now(), $2, NULL)`, p.Newest().Xid, p.Running)
	require.NoError(t, err)
	return plans
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
		arguments = fmt.Sprintf(" ('%d', '%d', '{%s}', NULL)", p.Newest().Xid, p.Xmax, running)
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
		INSERT INTO feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
		SELECT 'TEST', '{1}', '{0}', '{1}', '{1}', '{1}', ARRAY[n::text], '{""}' FROM generate_series(1, 500) n;
		COMMIT; END LOOP; END $$`)
	require.NoError(t, f.poll(t.Context(), r))
	require.Len(t, f.read, 200*500)
	p := followBeside(t, r, 1).position(t)
	add(t, d, "new")
	conn := connect(t, d)
	buffers(t, conn, p) // plans
	require.Less(t, buffers(t, conn, p), 100)
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
	text := explainGeneric(t, conn, fmt.Sprintf(`SELECT feed_poll($1, timestamptz '2000-01-01 00:00Z' + %d * interval '1 us', $3, $4)
		FROM (SELECT $2::xid8) unused`, p.Began), p, "ANALYZE, BUFFERS, FORMAT JSON")
	require.NoError(t, json.Unmarshal([]byte(text), &plans))
	return plans[0].Plan.Hit + plans[0].Plan.Read
}
