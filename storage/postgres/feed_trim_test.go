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

// makePartition makes that of the month of a time ago.
func makePartition(t testing.TB, d postgres.Database, table, age string) (name string) {
	t.Helper()
	start := queryOne[time.Time](t, d, `SELECT date_trunc('month', now() - $1::interval, 'UTC')`, age).UTC()
	name = table + start.Format("_2006010215")
	execute(t, d, fmt.Sprintf(`CREATE TABLE %s PARTITION OF %s FOR VALUES FROM ('%s') TO ('%s')`,
		name, table, start.Format(time.RFC3339), start.AddDate(0, 1, 0).Format(time.RFC3339)))
	return name
}

// putAside puts the feed's table aside, as if that had been some time ago.
func putAside(t testing.TB, s *postgres.Store, d postgres.Database, age string) (name string) {
	t.Helper()
	require.NoError(t, postgres.RotateFeed(t.Context(), s))
	put := queryOne[string](t, d, `SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'feed_past'::regclass ORDER BY inhrelid DESC LIMIT 1`)
	name = "feed" + queryOne[time.Time](t, d, `SELECT now() - $1::interval`, age).UTC().Format("_20060102150405")
	execute(t, d, `ALTER TABLE `+put+` RENAME TO `+name)
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
	nothing, err := r.Now(t.Context())
	require.NoError(t, err)
	add(t, d, "old")
	half, err := r.Now(t.Context())
	require.NoError(t, err)
	add(t, d, "old too")
	old := putAside(t, s, d, "25 hours")
	add(t, d, "past")
	kept := putAside(t, s, d, "23 hours")
	add(t, d, "present")
	all := followBeside(t, r, 0)

	require.NoError(t, postgres.TrimPartitions(t.Context(), s, auditAge))
	require.False(t, exists(t, d, old))
	require.True(t, exists(t, d, kept))
	require.Equal(t, 2, queryOne[int](t, d, `SELECT (SELECT count(*) FROM feed) + (SELECT count(*) FROM feed_past)`))
	requireVoid(t, r, nothing, "trimmed")
	requireVoid(t, r, half, "trimmed")
	p, err := r.Oldest(t.Context())
	require.NoError(t, err)
	oldest := from(t, p)
	require.NoError(t, oldest.poll(t.Context(), r))
	require.Equal(t, []string{"past", "present"}, oldest.keys())

	require.NoError(t, postgres.TrimPartitions(t.Context(), s, auditAge))
	add(t, d, "later")
	require.NoError(t, all.poll(t.Context(), r))
	require.Equal(t, []string{"later"}, all.keys())
}

// The feed's table is put aside by the age of its oldest row, and readers go on,
// whatever they had read of it.
func TestTheFeedIsPutAside(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	parts := func() int {
		return queryOne[int](t, d, `SELECT count(*) FROM pg_inherits WHERE inhparent = 'feed_past'::regclass`)
	}
	addAged(t, d, "young", "59 minutes")
	require.NoError(t, postgres.TrimPartitions(t.Context(), s, auditAge))
	require.Zero(t, parts())

	execute(t, d, `DELETE FROM feed`)
	addAged(t, d, "before", "61 minutes")
	long, err := connect(t, d).Begin(t.Context())
	require.NoError(t, err)
	_, err = long.Exec(t.Context(), `SELECT pg_current_xact_id()`)
	require.NoError(t, err)
	first := followBeside(t, r, 0) // the open one is above
	add(t, d, "a")
	second := followBeside(t, r, 1)
	require.NoError(t, postgres.TrimPartitions(t.Context(), s, auditAge))
	require.Equal(t, 1, parts())
	require.Zero(t, queryOne[int](t, d, `SELECT count(*) FROM feed`))
	third := followBeside(t, r, 1)
	require.Equal(t, second.position(t), third.position(t))

	add(t, d, "b")
	_, err = long.Exec(t.Context(), addSQL, "long")
	require.NoError(t, err)
	require.NoError(t, long.Commit(t.Context()))
	for f, want := range map[*follower][]string{first: {"a", "b", "long"}, second: {"b", "long"}} {
		require.NoError(t, f.poll(t.Context(), r))
		require.Equal(t, want, f.keys())
		require.NoError(t, f.poll(t.Context(), r))
		require.Equal(t, want, f.keys())
	}
}

// A reader who has all that was trimmed goes on, also when nothing is left.
func TestAnEmptyFeedIsNoGap(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	add(t, d, "old")
	f := followBeside(t, r, 0)
	putAside(t, s, d, "25 hours")
	require.NoError(t, f.poll(t.Context(), r))
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
	add(t, d, "old")
	f := followBeside(t, r, 1)
	putAside(t, s, d, "25 hours")
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
	old, kept := makePartition(t, d, "audit", "26 months"), makePartition(t, d, "audit", "23 months")
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
