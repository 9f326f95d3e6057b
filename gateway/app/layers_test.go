package app_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
	"namegate/gateway/hotname"
	"namegate/storage/rediscache/redistest"
)

// decidedAnswer is what decided gives for a reserved name, or a free one.
func decidedAnswer(free bool, layer string) string {
	if free {
		return `{"data":{"usernameAvailable":{"available":true,"reason":null,"decidedBy":"` + layer + `"}}}`
	}
	return `{"data":{"usernameAvailable":{"available":false,"reason":"RESERVED","decidedBy":"` + layer + `"}}}`
}

var tokenIn = regexp.MustCompile(`"token":"([^"]+)"`)

// cancel gives back what reserve answered.
func cancel(t *testing.T, r *app.Replica, reserved string) {
	t.Helper()
	token := tokenIn.FindStringSubmatch(reserved)
	require.NotNil(t, token, reserved)
	answer := query(t, r, `mutation { cancelReservation(input: {token: "`+token[1]+`"}) { __typename } }`)
	require.NotContains(t, answer, `"errors"`)
}

// layered are options of a replica whose layers are chosen.
func layered(t *testing.T, change func(*app.Options)) app.Options {
	t.Helper()
	opts := filtered(t)
	opts.Layers = app.Layers{CacheEntries: 100, CacheTTL: 20 * time.Second, RedisTTL: time.Hour}
	change(&opts)
	return opts
}

// A name that is taken is remembered until it is given back, wherever that is done, and
// whoever reads the feed: the filter or, without one, the cache's own reader.
func TestTakenNamesAreRememberedUntilTheyGo(t *testing.T) {
	t.Parallel()
	for title, filter := range map[string]bool{"beside a filter": true, "without a filter": false} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			opts := layered(t, func(o *app.Options) { o.Filter.On = filter })
			one, other := start(t, opts), start(t, opts)
			if filter {
				requireEventually(t, one, "ada", freeByFilter)
			}
			held := reserve(t, other, "ada")
			requireEventually(t, one, "ada", decidedAnswer(false, "LOCAL_CACHE"))
			cancel(t, other, held)
			require.Contains(t, decided(t, other, "ada"), `"available":true`, "at once where it was given back")
			require.Eventually(t, func() bool {
				return decided(t, one, "ada") != decidedAnswer(false, "LOCAL_CACHE")
			}, 10*time.Second, 10*time.Millisecond)
			require.Contains(t, decided(t, one, "ada"), `"available":true`)
		})
	}
}

// What one replica has read another one need not read, and Redis is missed by nobody.
func TestReplicasShareWhatTheyReadInRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.New(t)
	opts := layered(t, func(o *app.Options) { o.Layers.CacheEntries, o.Layers.Redis, o.Filter.On = 0, redis.URL(), false })
	one, other := start(t, opts), start(t, opts)
	held := reserve(t, one, "ada")
	requireEventually(t, one, "ada", decidedAnswer(false, "REDIS"))
	requireEventually(t, other, "ada", decidedAnswer(false, "REDIS"))
	cancel(t, one, held)
	require.Eventually(t, func() bool { return decided(t, other, "ada") != decidedAnswer(false, "REDIS") }, 10*time.Second, 10*time.Millisecond)
	require.Contains(t, decided(t, other, "ada"), `"available":true`)
	redis.Kill(t)
	requireEventually(t, other, "ada", freeByDatabase)
	redis.Start(t)
	requireEventually(t, other, "ada", decidedAnswer(true, "REDIS"))
}

// A replica begins without its Redis, and uses it when it comes.
func TestAReplicaStartsWithoutItsRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.New(t)
	redis.Kill(t)
	r := start(t, layered(t, func(o *app.Options) { o.Layers.CacheEntries, o.Layers.Redis, o.Filter.On = 0, redis.URL(), false }))
	require.Equal(t, freeByDatabase, decided(t, r, "ada"))
	redis.Start(t)
	requireEventually(t, r, "ada", decidedAnswer(true, "REDIS"))
}

// Down to the bare unique index the answers are the same.
func TestAllLayersCanBeLeftOut(t *testing.T) {
	t.Parallel()
	r := start(t, layered(t, func(o *app.Options) { o.Layers, o.Filter = app.Layers{}, app.Filter{} }))
	require.Equal(t, freeByDatabase, decided(t, r, "ada"))
	reserve(t, r, "ada")
	for range 2 {
		require.Equal(t, decidedAnswer(false, "DATABASE"), decided(t, r, "ada"))
	}
}

// A taken name that many ask one replica for is answered from memory by all.
func TestHotNamesAreKnownToAll(t *testing.T) {
	t.Parallel()
	opts := layered(t, func(o *app.Options) { o.Layers = app.Layers{HotName: 3} })
	opts.Fleet = app.Fleet{KeyFile: keyFile(t, strings.Repeat("k", 32)), Gossip: "127.0.0.1:0", Transfer: "127.0.0.1:0"}
	one := start(t, opts)
	opts.DataDir, opts.Fleet.Join = t.TempDir(), []string{one.GossipAddr()}
	opts.Layers.HotName = hotname.MaxThreshold // more than this test asks
	other := start(t, opts)
	held := reserve(t, one, "ada")
	hot := decidedAnswer(false, "DENY_LIST")
	requireEventually(t, one, "ada", hot)
	requireEventually(t, other, "ada", hot)
	cancel(t, other, held)
	for _, r := range []*app.Replica{one, other} {
		require.Eventually(t, func() bool { return strings.Contains(decided(t, r, "ada"), `"available":true`) }, 10*time.Second, 10*time.Millisecond)
	}
}

func TestLayersAreChecked(t *testing.T) {
	t.Parallel()
	bad := app.Layers{CacheEntries: -1, HotShard: -1, Redis: "http://secret@host"}
	err := bad.Validate(app.Filter{On: true})
	for _, flag := range []string{"--cache-entries", "--hot-shard-limit", "--redis:", "--redis-ttl", "--staleness"} {
		require.ErrorContains(t, err, flag)
	}
	require.NotContains(t, err.Error(), "secret")
	require.Equal(t, 1, strings.Count(err.Error(), "--staleness"))
	require.ErrorContains(t, app.Layers{CacheEntries: 1, CacheTTL: time.Hour}.Validate(app.Filter{Staleness: time.Second}), "--cache-ttl")
	require.NoError(t, app.Layers{}.Validate(app.Filter{}))
}
