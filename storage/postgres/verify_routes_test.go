package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/postgres"
)

// anyRoutes are options of a verification.
func anyRoutes(o postgres.Options) postgres.Options {
	o.AnyRoutes = true
	return o
}

// claim has a database own a vshard.
func claim(t *testing.T, d postgres.Database, vshard int16) {
	t.Helper()
	execute(t, d, `INSERT INTO vshards (vshard, state, epoch, move_id) VALUES ($1, 'OWNED', 2, gen_random_uuid())`, vshard)
}

// A wrong route map is what a verification counts, so it does not keep it from opening
// the databases, nor from all else that is broken in them.
func TestVerifyWithAWrongRouteMap(t *testing.T) {
	t.Parallel()
	type plant func(t *testing.T, a, b postgres.Database, m member) map[storage.Fault]int64
	for name, plant := range map[string]plant{
		"a second owner": func(t *testing.T, a, b postgres.Database, m member) map[storage.Fault]int64 {
			claim(t, b, m.vshard())
			return map[storage.Fault]int64{storage.TwoOwnersOfVshard: 1}
		},
		"a name with two holders": func(t *testing.T, a, b postgres.Database, m member) map[storage.Fault]int64 {
			claim(t, b, m.vshard())
			execute(t, b, `INSERT INTO holdings (vshard, kind, state, since, grant_id, key, owner) VALUES ($1, 1, 2, now(), gen_random_uuid(), $2, 'user:other')`, m.vshard(), m.name.Key())
			return map[storage.Fault]int64{storage.TwoOwnersOfVshard: 1, storage.HeldTwice: 1}
		},
		"no owner": func(t *testing.T, a, b postgres.Database, m member) map[storage.Fault]int64 {
			execute(t, a, `DELETE FROM vshards WHERE vshard = $1`, m.vshard())
			requests := queryOne[int64](t, a, `SELECT count(*) FROM requests WHERE vshard = $1`, m.vshard())
			return map[storage.Fault]int64{storage.NoOwnerOfVshard: 1, storage.Astray: 1 + requests}
		},
		"many of both": func(t *testing.T, a, b postgres.Database, m member) map[storage.Fault]int64 {
			execute(t, b, `INSERT INTO vshards (vshard, state, epoch, move_id) SELECT v, 'OWNED', 2, gen_random_uuid() FROM generate_series(0, 511) v WHERE v <> $1`, m.vshard())
			execute(t, b, `DELETE FROM vshards WHERE vshard IN (SELECT vshard FROM vshards WHERE vshard > 511
				EXCEPT SELECT vshard FROM requests EXCEPT SELECT vshard FROM accounts EXCEPT SELECT vshard FROM slots LIMIT 3)`)
			return map[storage.Fault]int64{storage.TwoOwnersOfVshard: 511, storage.NoOwnerOfVshard: 3}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := migrated(t, 2)
			m, err := join(t.Context(), open(t, o))
			require.NoError(t, err)
			want := plant(t, o.Databases[0], o.Databases[1], m)
			_, err = postgres.Open(t.Context(), o)
			require.ErrorContains(t, err, "owned by")
			v, err := open(t, anyRoutes(o)).Verify(t.Context(), nil)
			require.NoError(t, err)
			for fault, count := range want {
				require.Contains(t, v.Faults, fault, describe(v))
				require.Equal(t, count, v.Faults[fault].Count, describe(v))
			}
			require.Len(t, v.Faults, len(want), describe(v))
		})
	}
}

// What is wrong with a database itself, and a database that is not named, is refused
// with any routes: half of a registry looks broken everywhere.
func TestVerifyRefusesWhatIsNoRegistry(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"another identifier secret": `UPDATE identity SET fingerprint = 'another'`,
		"newer than this release":   `INSERT INTO schema_migrations (version, compatible) VALUES (99, true)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := migrated(t, 2)
			execute(t, o.Databases[0], sql)
			claim(t, o.Databases[1], 7)
			requireRefused(t, anyRoutes(o), name)
		})
	}
	t.Run("a database is missing", func(t *testing.T) {
		t.Parallel()
		o := migrated(t, 2)
		o.Databases = o.Databases[:1]
		requireRefused(t, anyRoutes(o), "name every database")
	})
}
