package app_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/app"
	"namegate/storage/rediscache/redistest"
)

// failovers are sets of Redis with what kills the primary that all callers need.
var failovers = map[string]func(t *testing.T) (url string, fail func()){
	"under Sentinels": func(t *testing.T) (string, func()) {
		s := redistest.NewSentinels(t)
		return s.URL(), func() { s.Primary.Kill(t) }
	},
	"as a Cluster": func(t *testing.T) (string, func()) {
		c := redistest.NewCluster(t)
		for _, node := range c.Nodes {
			c.Follow(t, node)
		}
		return c.URL(), func() { controlled(t, c).Kill(t) }
	},
}

// controlled is the node of a cluster that has what is known of the cache as a whole.
func controlled(t *testing.T, c *redistest.Cluster) *redistest.Server {
	t.Helper()
	for _, node := range c.Nodes {
		if len(node.Do(t, "KEYS", "*{control}*").([]any)) > 0 {
			return node
		}
	}
	require.Fail(t, "no node knows of the cache")
	return nil
}

// A Redis of several servers answers; while it fails over the databases do, for names that
// change meanwhile, too; and then the new primary, without a restart of any replica.
func TestAReplicaOutlivesAFailoverOfRedis(t *testing.T) {
	t.Parallel()
	for title, begin := range failovers {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			url, fail := begin(t)
			opts := layered(t, func(o *app.Options) { o.Layers.CacheEntries, o.Layers.Redis, o.Filter.On = 0, url, false })
			one, other := start(t, opts), start(t, opts)
			held := reserve(t, one, "ada")
			for _, r := range []*app.Replica{one, other} {
				requireAnswers(t, r, "ada", decidedAnswer(false, "REDIS"))
				requireAnswers(t, r, "grace", decidedAnswer(true, "REDIS"))
			}
			fail()
			requireAnswers(t, one, "ada", decidedAnswer(false, "DATABASE"))
			requireAnswers(t, one, "grace", freeByDatabase)
			cancel(t, one, held)
			requireAnswers(t, other, "ada", freeByDatabase)
			for _, r := range []*app.Replica{one, other} {
				requireAnswers(t, r, "ada", decidedAnswer(true, "REDIS"))
			}
			reserveBy(t, other, "ada", strings.Repeat("another", 4))
			requireAnswers(t, one, "ada", decidedAnswer(false, "REDIS"))
			for range 20 {
				require.Contains(t, decided(t, one, "ada"), `"available":false`)
			}
		})
	}
}

// requireAnswers asks until a replica gives an answer. It must give some all the time.
func requireAnswers(t *testing.T, r *app.Replica, name, want string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(30 * time.Second); got != want && time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		got = decided(t, r, name)
		require.True(t, strings.Contains(got, `"decidedBy"`), "no answer: %s", got)
	}
	require.Equal(t, want, got)
}
