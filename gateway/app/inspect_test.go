package app_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
	"namegate/gateway/registry"
	"namegate/gateway/verify"
	"namegate/storage"
	"namegate/storage/identifier"
	"namegate/storage/rediscache/redistest"
)

// behind runs SQL on all databases of a replica, of which no feed tells.
func behind(t *testing.T, opts app.Options, sql string, args ...any) (rows int64) {
	t.Helper()
	for _, d := range opts.Named {
		conn, err := pgx.Connect(t.Context(), d.DSN)
		require.NoError(t, err)
		tag, err := conn.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
		require.NoError(t, conn.Close(t.Context()))
		rows += tag.RowsAffected()
	}
	return rows
}

// verified has a replica verify all of its layers, when all of them can be asked.
func verified(t *testing.T, r *app.Replica, repair bool) map[registry.Layer]verify.Findings {
	t.Helper()
	found := map[registry.Layer]verify.Findings{}
	require.Eventually(t, func() bool {
		report, err := verify.Ask(t.Context(), http.DefaultClient, r.AdminAddr(), verify.Request{Share: 1, Repair: repair}, func(verify.Findings) {})
		for _, f := range report.Layers {
			found[f.Layer] = f
		}
		return err == nil && report.Whole()
	}, time.Minute, 100*time.Millisecond)
	return found
}

// holdBehind gives a name to an account.
func holdBehind(t *testing.T, opts app.Options, name string) {
	t.Helper()
	vshard := storage.VshardOf(identifier.Stored(identifier.Username, name, name, name))
	require.Equal(t, int64(1), behind(t, opts, `INSERT INTO holdings (vshard, kind, state, since, grant_id, key, canonical, display, owner)
		SELECT vshard, $2, $3, now(), gen_random_uuid(), $4, $4, $4, 'user:42' FROM vshards WHERE vshard = $1 AND state = 'OWNED'`,
		vshard, identifier.Username, storage.Active, name))
}

// requireDecidedBy waits until a layer answers for a name.
func requireDecidedBy(t *testing.T, r *app.Replica, name string, layer registry.Layer) {
	t.Helper()
	require.Eventually(t, func() bool {
		return strings.Contains(decided(t, r, name), `"decidedBy":"`+string(layer)+`"`)
	}, 30*time.Second, 20*time.Millisecond)
}

// What the layers of a live replica say is compared with the databases, and mended.
func TestLayersAreVerified(t *testing.T) {
	t.Parallel()
	redis := redistest.New(t)
	opts := layered(t, func(o *app.Options) {
		o.Layers = app.Layers{CacheEntries: 100, CacheTTL: time.Minute, Redis: redis.URL(), RedisTTL: time.Hour, HotName: 5}
		o.Filter.Staleness = time.Second
	})
	holdBehind(t, opts, "ada")
	holdBehind(t, opts, "hopper")
	bare := opts
	bare.Layers, bare.Filter.On, bare.DataDir = app.Layers{Redis: redis.URL(), RedisTTL: time.Hour}, false, t.TempDir()
	r, filler := start(t, opts), start(t, bare)
	for _, name := range []string{"grace", "lovelace", "turing", "noether"} {
		requireDecidedBy(t, r, name, registry.LayerFilter)
	}
	requireDecidedBy(t, r, "ada", registry.LayerDenyList)
	requireDecidedBy(t, r, "hopper", registry.LayerLocalCache)
	requireDecidedBy(t, filler, "hopper", registry.LayerRedis)
	for layer, f := range verified(t, r, true) {
		require.Zero(t, f.Wrong, layer)
		require.Positive(t, f.Names, layer)
	}

	require.Equal(t, int64(2), behind(t, opts, `DELETE FROM holdings WHERE key IN ('ada', 'hopper')`))
	holdBehind(t, opts, "grace")
	for _, repair := range []bool{false, true} {
		found := verified(t, r, repair)
		require.Len(t, found, 4)
		for layer, f := range found {
			require.Positive(t, f.Wrong, layer)
			require.Equal(t, map[bool]uint64{true: f.Wrong}[repair], f.Mended, layer)
		}
	}
	require.Contains(t, decided(t, r, "ada"), `"available":true`)
	require.Contains(t, decided(t, r, "hopper"), `"available":true`)
	require.Contains(t, decided(t, r, "grace"), `"available":false`)
}
