package rediscache_test

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage/feed"
	"namegate/storage/identifier"
	"namegate/storage/rediscache"
	"namegate/storage/rediscache/redistest"
)

const staleness = 5 * time.Second

func options(t testing.TB, url string) rediscache.Options {
	return rediscache.Options{
		URL: url, Prefix: rediscache.DefaultPrefix, Fingerprint: []byte{1, 2, 3}, TakenTTL: time.Hour, Staleness: staleness,
		Timeout: time.Second, // a busy machine is not what most tests are about
		Clock:   time.Now, Random: rand.Uint64, Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
}

func open(t testing.TB, o rediscache.Options) *rediscache.Cache {
	t.Helper()
	c, err := rediscache.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// follow runs an invalidator of a cache until stop, or the end of the test.
func follow(t testing.TB, c *rediscache.Cache, databases ...*database) (stop func()) {
	t.Helper()
	readers := make([]feed.Reader, len(databases))
	for i, d := range databases {
		readers[i] = d
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.NewInvalidator(readers).Run(ctx)
	}()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return stop
}

// start gives a cache that is followed and in use, with its server and database.
func start(t testing.TB) (*rediscache.Cache, *redistest.Server, *database) {
	t.Helper()
	s, d := redistest.New(t), newDatabase("a")
	c := open(t, options(t, s.URL()))
	follow(t, c, d)
	requireLive(t, c)
	return c, s, d
}

func requireLive(t testing.TB, caches ...*rediscache.Cache) {
	t.Helper()
	for _, c := range caches {
		eventually(t, c.Live, "the cache is in use")
	}
}

func eventually(t testing.TB, is func() bool, what string) {
	t.Helper()
	redistest.Eventually(t, func() error {
		if !is() {
			return errors.New("not yet: " + what)
		}
		return nil
	})
}

func name(s string) identifier.Identifier { return identifier.Stored(identifier.Username, s, s, s) }

// lookup asks the cache, and gives the answer and whether it came of Redis.
func lookup(t testing.TB, c *rediscache.Cache, d *database, id identifier.Identifier) (held, fromRedis bool) {
	t.Helper()
	s, fromRedis, err := c.Lookup(t.Context(), id, d.read(id))
	require.NoError(t, err)
	return s.Held != nil, fromRedis
}
