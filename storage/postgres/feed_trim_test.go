package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage/postgres"
)

const auditAge = 2 * 365 * 24 * time.Hour

// agedSQL adds a row of a time ago, such as '25 hours'.
const agedSQL = `INSERT INTO feed (at, cause, epochs, vshards, kinds, changes, states, keys, actors)
	VALUES (now() - $2::interval, 'TEST', '{1}', '{0}', '{1}', '{1}', '{1}', ARRAY[$1], '{""}')`

func addAged(t testing.TB, d postgres.Database, key, age string) {
	t.Helper()
	execute(t, d, agedSQL, key, age)
}

// makePartition makes that of the hour, or month, of a time ago.
func makePartition(t testing.TB, d postgres.Database, table, unit, age string) (name string) {
	t.Helper()
	start := queryOne[time.Time](t, d, `SELECT date_trunc($1, now() - $2::interval, 'UTC')`, unit, age).UTC()
	end := queryOne[time.Time](t, d, `SELECT ($1::timestamptz AT TIME ZONE 'UTC' + ('1 ' || $2)::interval) AT TIME ZONE 'UTC'`, start, unit)
	name = table + start.Format("_2006010215")
	execute(t, d, fmt.Sprintf(`CREATE TABLE %s PARTITION OF %s FOR VALUES FROM ('%s') TO ('%s')`,
		name, table, start.Format(time.RFC3339), end.Format(time.RFC3339)))
	return name
}

func exists(t testing.TB, d postgres.Database, table string) bool {
	t.Helper()
	return queryOne[bool](t, d, `SELECT to_regclass($1) IS NOT NULL`, table)
}

func TestTheFeedIsTrimmed(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	old, kept := makePartition(t, d, "feed", "hour", "26 hours"), makePartition(t, d, "feed", "hour", "23 hours")
	nothing, err := r.Now(t.Context())
	require.NoError(t, err)
	add(t, d, "today")
	addAged(t, d, "old", "26 hours")
	half, err := r.Now(t.Context())
	require.NoError(t, err)
	addAged(t, d, "old without a partition", "100 hours")
	addAged(t, d, "kept", "23 hours")
	addAged(t, d, "kept without a partition", "22 hours")
	all := followBeside(t, r, 0)

	require.NoError(t, postgres.TrimPartitions(t.Context(), s, auditAge))
	require.False(t, exists(t, d, old))
	require.True(t, exists(t, d, kept))
	require.Equal(t, 3, queryOne[int](t, d, `SELECT count(*) FROM feed`))
	requireVoid(t, r, nothing, "trimmed")
	requireVoid(t, r, half, "trimmed")
	p, err := r.Oldest(t.Context())
	require.NoError(t, err)
	oldest := from(t, p)
	require.NoError(t, oldest.poll(t.Context(), r))
	require.Equal(t, []string{"kept", "kept without a partition"}, oldest.keys())

	require.NoError(t, postgres.TrimPartitions(t.Context(), s, auditAge))
	add(t, d, "later")
	require.NoError(t, all.poll(t.Context(), r))
	require.Equal(t, []string{"later"}, all.keys())
}

// A reader who has all that was trimmed goes on, also when nothing is left.
func TestAnEmptyFeedIsNoGap(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	makePartition(t, d, "feed", "hour", "26 hours")
	addAged(t, d, "old", "26 hours")
	f := followBeside(t, r, 0)
	require.NoError(t, postgres.TrimPartitions(t.Context(), s, auditAge))
	require.NoError(t, f.poll(t.Context(), r))
	again := followBeside(t, r, 0)
	require.Equal(t, f.position(t).Xmax, again.position(t).Xmax)
	add(t, d, "later")
	require.NoError(t, f.poll(t.Context(), r))
	require.Equal(t, []string{"later"}, f.keys())
}

// What a transaction that has long been open may have left in the trimmed part is
// a gap only once it has ended.
func TestATransactionThatOutlivesTheFeed(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	long, err := connect(t, d).Begin(t.Context())
	require.NoError(t, err)
	_, err = long.Exec(t.Context(), `SELECT pg_current_xact_id()`)
	require.NoError(t, err)
	addAged(t, d, "old", "100 hours")
	f := followBeside(t, r, 1)
	require.NoError(t, postgres.TrimPartitions(t.Context(), s, auditAge))
	add(t, d, "new")
	require.NoError(t, f.poll(t.Context(), r))
	require.Equal(t, []string{"new"}, f.keys())
	require.NoError(t, long.Commit(t.Context()))
	requireVoid(t, r, f.position(t), "trimmed")
}

func TestTheAuditIsTrimmedByItsOwnAge(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	s := open(t, o)
	old, kept := makePartition(t, d, "audit", "month", "26 months"), makePartition(t, d, "audit", "month", "23 months")
	for _, age := range []string{"26 months", "23 months", "30 months", "20 months"} {
		execute(t, d, `INSERT INTO audit (at, grant_id, vshard, kind, state, cause, key, actor)
			VALUES (now() - $1::interval, gen_random_uuid(), 0, 1, 2, 'TEST', $1, '')`, age)
	}
	require.NoError(t, postgres.TrimPartitions(t.Context(), s, 100*365*24*time.Hour))
	require.Equal(t, 4, queryOne[int](t, d, `SELECT count(*) FROM audit`))
	require.NoError(t, postgres.TrimPartitions(t.Context(), s, auditAge))
	require.False(t, exists(t, d, old))
	require.True(t, exists(t, d, kept))
	require.Equal(t, 2, queryOne[int](t, d, `SELECT count(*) FROM audit WHERE at > now() - interval '24 months'`))
	require.Equal(t, 2, queryOne[int](t, d, `SELECT count(*) FROM audit`))
}
