package postgres_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/postgres"
)

// requireRefused says that a start stops, and why.
func requireRefused(t *testing.T, o postgres.Options, reason string) {
	t.Helper()
	s, err := postgres.Open(t.Context(), o)
	if err == nil {
		s.Close()
	}
	var wrong *postgres.MismatchError
	require.ErrorAs(t, err, &wrong)
	require.ErrorContains(t, err, reason)
}

func TestStartRefusesWhatItCannotServe(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ sql, reason string }{
		"a vshard of two databases": {
			`INSERT INTO vshards (vshard, state, epoch, move_id) VALUES (1000, 'OWNED', 2, gen_random_uuid())`, "vshard 1000 is owned by two databases",
		},
		"a vshard of no database": {`DELETE FROM vshards WHERE vshard = 77`, "vshard 77 is owned by no database"},
		"a vshard that only left": {`UPDATE vshards SET state = 'MOVED' WHERE vshard = 78`, "vshard 78 is owned by no database"},
		"a newer schema":          {`INSERT INTO schema_migrations (version, compatible) VALUES (99, true)`, "newer than this release"},
		"the next schema, not compatible": {
			`INSERT INTO schema_migrations (version, compatible) SELECT max(version) + 1, false FROM schema_migrations`, "newer than this release",
		},
		"an older schema":         {`DELETE FROM schema_migrations`, "gateway migrate"},
		"another secret":          {`UPDATE identity SET fingerprint = 'another'`, "another identifier secret"},
		"an unfinished migration": {`UPDATE identity SET fingerprint = NULL`, "gateway migrate"},
		"commits that may be lost": {
			`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$`, "synchronous_commit",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := migrated(t, 2)
			execute(t, o.Databases[0], c.sql)
			requireRefused(t, o, c.reason)
		})
	}
	t.Run("a database that was never migrated", func(t *testing.T) {
		t.Parallel()
		requireRefused(t, options(t, 1), "gateway migrate")
	})
	t.Run("one database under two names", func(t *testing.T) {
		t.Parallel()
		o := migrated(t, 1)
		o.Databases = append(o.Databases, postgres.Database{Name: "again", DSN: o.Databases[0].DSN})
		requireRefused(t, o, "are one")
	})
	t.Run("a registry without one of its databases", func(t *testing.T) {
		t.Parallel()
		o := migrated(t, 2)
		o.Databases = o.Databases[:1]
		requireRefused(t, o, "owned by no database")
	})
}

func TestStartAcceptsWhatPasses(t *testing.T) {
	t.Parallel()
	cases := map[string][2]string{
		"the next schema when it is compatible": {
			`INSERT INTO schema_migrations (version, compatible) SELECT max(version) + 1, true FROM schema_migrations`,
		},
		"a vshard between two databases": {
			`UPDATE vshards SET state = 'MOVED', move_id = 'c0ffee00-0000-0000-0000-000000000000' WHERE vshard = 5`,
			`INSERT INTO vshards (vshard, state, epoch, move_id) VALUES (5, 'INCOMING', 2, 'c0ffee00-0000-0000-0000-000000000000')`,
		},
		"a frozen vshard": {
			`UPDATE vshards SET state = 'FROZEN', frozen_until = now() + interval '1 minute' WHERE vshard = 6`,
		},
	}
	for name, sql := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := migrated(t, 2)
			execute(t, o.Databases[0], sql[0])
			execute(t, o.Databases[1], sql[1])
			open(t, o)
		})
	}
}

func TestMigrateIsSafeToRepeatAndToRunTwiceAtOnce(t *testing.T) {
	t.Parallel()
	o := options(t, 3)
	turned := o
	turned.Databases = []postgres.Database{o.Databases[2], o.Databases[0], o.Databases[1]}
	var runs sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		runs.Go(func() { errs[i] = postgres.Migrate(t.Context(), []postgres.Options{o, turned}[i%2]) })
	}
	runs.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	total := 0
	for _, d := range o.Databases {
		total += queryOne[int](t, d, `SELECT count(*) FROM vshards WHERE state = 'OWNED'`)
	}
	require.Equal(t, storage.Vshards, total)
	open(t, o)
}

func TestMigrateCompletesADivisionThatBrokeOff(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	execute(t, o.Databases[1], `DELETE FROM vshards`)
	execute(t, o.Databases[1], `UPDATE identity SET fleet = NULL`)
	requireRefused(t, o, "owned by no database")
	require.NoError(t, postgres.Migrate(t.Context(), o))
	open(t, o)
}

func TestMigrateDividesOnce(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	t.Run("a later database gets nothing by itself", func(t *testing.T) {
		t.Parallel()
		more := o
		more.Databases = append(more.Databases[:2:2], options(t, 1).Databases[0])
		more.Databases[2].Name = "later"
		require.NoError(t, postgres.Migrate(t.Context(), more))
		require.Zero(t, queryOne[int](t, more.Databases[2], `SELECT count(*) FROM vshards`))
		open(t, more)
	})
	t.Run("databases of two registries are refused", func(t *testing.T) {
		t.Parallel()
		mixed := o
		mixed.Databases = append(mixed.Databases[:2:2], migrated(t, 1).Databases[0])
		mixed.Databases[2].Name = "stranger"
		require.ErrorContains(t, postgres.Migrate(t.Context(), mixed), "different registries")
	})
	t.Run("a part of a registry is refused", func(t *testing.T) {
		t.Parallel()
		part := o
		part.Databases = part.Databases[:1]
		require.ErrorContains(t, postgres.Migrate(t.Context(), part), "name all of them")
	})
	t.Run("another secret is refused", func(t *testing.T) {
		t.Parallel()
		other := o
		other.Fingerprint = []byte("another")
		require.ErrorContains(t, postgres.Migrate(t.Context(), other), "another identifier secret")
	})
}

func TestPartitionsAreMadeAhead(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s := open(t, o)
	_, err := s.Import(t.Context(), []storage.ImportLine{{Number: 1, Identifier: freshName()}})
	require.NoError(t, err)
	require.Zero(t, queryOne[int](t, o.Databases[0], `SELECT count(*) FROM audit_default`))
	require.Equal(t, 1, queryOne[int](t, o.Databases[0], `SELECT count(*) FROM audit`))
	require.Greater(t, queryOne[int](t, o.Databases[0], `SELECT count(*) FROM pg_inherits WHERE inhparent = 'audit'::regclass`), 2)
}

func TestAWriteNeedsNoPartition(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	execute(t, o.Databases[0], `DO $$ DECLARE p regclass; BEGIN
		FOR p IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhrelid <> 'audit_default'::regclass AND inhparent = 'audit'::regclass
		LOOP EXECUTE 'DROP TABLE ' || p; END LOOP; END $$`)
	_, err := open(t, o).Import(t.Context(), []storage.ImportLine{{Number: 1, Identifier: freshName()}})
	require.NoError(t, err)
	require.Equal(t, 1, queryOne[int](t, o.Databases[0], `SELECT count(*) FROM audit_default`))
}
