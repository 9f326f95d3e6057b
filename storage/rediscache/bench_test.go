package rediscache_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage/rediscache"
)

func BenchmarkHit(b *testing.B) {
	c, s, d := start(b)
	d.take(name("ada"))
	eventually(b, func() bool { return c.Counters.Invalidations.Load() == 1 }, "the change is applied")
	_, _ = lookup(b, c, d, name("ada"))
	b.Run("lookup", func(b *testing.B) { benchLookup(b, c, d) })
	b.Run("plain GET", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			require.NoError(b, s.Admin.Get(context.Background(), c.Keys(name("ada"))[0]).Err())
		}
	})
}

func benchLookup(b *testing.B, c *rediscache.Cache, d *database) {
	id, read := name("ada"), d.read(name("ada"))
	b.ReportAllocs()
	for b.Loop() {
		if _, fromRedis, err := c.Lookup(context.Background(), id, read); !fromRedis || err != nil {
			b.Fatal("not a hit", err)
		}
	}
}
