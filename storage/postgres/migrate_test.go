package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage/postgres"
)

// Others have tables on the server, which only they and superusers may analyze.
func TestMigrateAnalyzesItsOwnTables(t *testing.T) {
	t.Parallel()
	o := options(t, 1)
	d := o.Databases[0]
	execute(t, d, `CREATE SCHEMA others CREATE TABLE theirs (n int)`)
	require.NoError(t, postgres.Migrate(t.Context(), o))
	unknown := `SELECT coalesce(string_agg(oid::regclass::text, ' ' ORDER BY oid), '') FROM pg_class
		WHERE relkind IN ('r', 'p') AND reltuples < 0 AND relnamespace = $1::regnamespace`
	require.Empty(t, queryOne[string](t, d, unknown, "public"))
	require.Equal(t, "others.theirs", queryOne[string](t, d, unknown, "others"))
}

// Whoever restores a dump, or calls from a session of another's, has another search path.
func TestFunctionsNeedNoSearchPath(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{"public", `Of "us"`} {
		t.Run(schema, func(t *testing.T) {
			t.Parallel()
			o := options(t, 1)
			d := o.Databases[0]
			in := pgx.Identifier{schema}.Sanitize()
			execute(t, d, `CREATE SCHEMA IF NOT EXISTS `+in)
			execute(t, d, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = %s', current_database(), '`+in+`, public'); END $$`)
			require.NoError(t, postgres.Migrate(t.Context(), o))
			require.Empty(t, queryOne[string](t, d, `SELECT coalesce(string_agg(proname, ' '), '') FROM pg_proc
				WHERE pronamespace = $1::regnamespace AND proname NOT IN ('count_vshards_change', 'feed_pack', 'feed_owned', 'feed_poll', 'feed_news')`, in))

			conn := connect(t, d)
			for _, sql := range []string{
				`SELECT set_config('search_path', '', false)`,
				`UPDATE ` + in + `.vshards SET epoch = epoch + 1 WHERE vshard = 7`,
				`INSERT INTO ` + in + `.feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
					VALUES ('TEST', '{1}', '{0}', '{1}', '{1}', '{1}', '{a}', '{""}')`,
				`SELECT ` + in + `.feed_pack(f.id, f.xid, f.at, f.cause, f.epochs, f.vshards, f.kinds, f.changes, f.states, f.keys, f.actors) FROM ` + in + `.feed f`,
				`SELECT ` + in + `.feed_owned(gen_random_uuid(), gen_random_uuid())`,
				`SELECT ` + in + `.feed_poll('0', now(), '{}', gen_random_uuid())`,
				`SELECT ` + in + `.feed_news('0', '{}', gen_random_uuid())`,
			} {
				_, err := conn.Exec(t.Context(), sql)
				require.NoError(t, err)
			}
		})
	}
}
