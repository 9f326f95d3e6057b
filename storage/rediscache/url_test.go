package rediscache_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage/rediscache"
)

func TestURLs(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]struct {
		addrs         []string
		name          string
		db            int
		cluster, tls  bool
		user, pass    string
		sentinelLogin string
	}{
		"redis://h":                               {addrs: []string{"h:6379"}},
		"redis://u:p%40ss@h:1/3":                  {addrs: []string{"h:1"}, db: 3, user: "u", pass: "p@ss"},
		"redis://:p@[::1]:7/":                     {addrs: []string{"[::1]:7"}, pass: "p"},
		"redis://[::1]":                           {addrs: []string{"[::1]:6379"}},
		"rediss://h":                              {addrs: []string{"h:6379"}, tls: true},
		"unix:///run/redis.sock?db=2":             {addrs: []string{"/run/redis.sock"}, db: 2},
		"unix://:p@/run/redis.sock":               {addrs: []string{"/run/redis.sock"}, pass: "p"},
		"redis+sentinel://a,b:1/names":            {addrs: []string{"a:26379", "b:1"}, name: "names"},
		"rediss+sentinel://:p@a,[::1]/names?db=4": {addrs: []string{"a:26379", "[::1]:26379"}, name: "names", db: 4, tls: true, pass: "p"},
		"redis+sentinel://a/names?sentinel_username=s&sentinel_password=q": {addrs: []string{"a:26379"}, name: "names", sentinelLogin: "s:q"},
		"redis+cluster://a,b:7": {addrs: []string{"a:6379", "b:7"}, cluster: true},
		"rediss+cluster://a":    {addrs: []string{"a:6379"}, cluster: true, tls: true},
	} {
		o, err := rediscache.ParseURL(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want.addrs, o.Addrs, raw)
		require.Equal(t, want.name, o.MasterName, raw)
		require.Equal(t, want.db, o.DB, raw)
		require.Equal(t, want.cluster, o.IsClusterMode, raw)
		require.Equal(t, want.tls, o.TLSConfig != nil, raw)
		require.Equal(t, want.user, o.Username, raw)
		require.Equal(t, want.pass, o.Password, raw)
		if want.sentinelLogin != "" {
			require.Equal(t, want.sentinelLogin, o.SentinelUsername+":"+o.SentinelPassword, raw)
		}
	}
}

func TestBadURLs(t *testing.T) {
	t.Parallel()
	for raw, part := range map[string]string{
		"":                                  "scheme",
		"h:6379":                            "scheme",
		"http://:secret@h":                  "scheme",
		"redis://:secret@":                  "host 1 has no name",
		"redis://:secret@h:0":               "host 1 has a port",
		"redis://:secret@h:x":               "host 1 has a port",
		"redis://:secret@::1":               "host 1 has colons",
		"redis://:secret@a,b":               "several hosts",
		"redis://:secret@h/x":               "database",
		"redis://:secret@h/-1":              "database",
		"redis://:secret@h?db=1":            "query has a name",
		"redis://:secret@h?%zz":             "query",
		"redis://:secr%zzet@h":              "escaped",
		"redis://:secret@h#f":               "escaped",
		"unix://:secret@h/run/redis.sock":   "path of the socket",
		"unix://:secret@":                   "path of the socket",
		"redis+sentinel://:secret@a":        "Sentinels know",
		"redis+sentinel://:secret@a/n/m":    "Sentinels know",
		"redis+sentinel://:secret@a,/n":     "host 2 has no name",
		"redis+cluster://:secret@a/1":       "no databases",
		"redis+cluster://:secret@a,b:70000": "host 2 has a port",
	} {
		_, err := rediscache.ParseURL(raw)
		require.ErrorContains(t, err, part, raw)
		require.ErrorContains(t, err, "--redis", raw)
		require.NotContains(t, err.Error(), "secr", raw)
	}
}

func TestOptionsAreValidated(t *testing.T) {
	t.Parallel()
	good := options(t, "redis://h")
	require.NoError(t, good.Validate())
	for part, spoil := range map[string]func(*rediscache.Options){
		"--redis":       func(o *rediscache.Options) { o.URL = "h" },
		"prefix":        func(o *rediscache.Options) { o.Prefix = "a{b}" },
		"prefix of":     func(o *rediscache.Options) { o.Prefix = "" },
		"fingerprint":   func(o *rediscache.Options) { o.Fingerprint = nil },
		"taken entries": func(o *rediscache.Options) { o.TakenTTL = time.Second },
		"staleness":     func(o *rediscache.Options) { o.Staleness = 2 * time.Minute },
		"time limit":    func(o *rediscache.Options) { o.Timeout = 0 },
		"clock":         func(o *rediscache.Options) { o.Clock = nil },
	} {
		bad := good
		spoil(&bad)
		_, err := rediscache.Open(t.Context(), bad)
		require.ErrorContains(t, err, part)
	}
}
