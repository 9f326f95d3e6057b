package main

import (
	"time"

	"namegate/gateway/app"
)

// layerFlags say what keeps calls from the databases, beside the filter.
type layerFlags struct {
	CacheEntries  int           `default:"10000" help:"How many names this replica remembers of those it was asked for; 0 for none. That nobody has a name counts for --staleness."`
	CacheTTL      time.Duration `name:"cache-ttl" default:"20s" help:"How long this replica remembers that a name is held, from 1s to 1m. A change that is heard of ends it at once."`
	Redis         string        `placeholder:"URL" help:"Redis in which replicas share what they have read: redis://[user:password@]host[:6379][/database], redis+sentinel://host,host/name, redis+cluster://host,host; rediss for TLS; unix:///path. Without it, and while it fails, the databases are asked."`
	RedisTTL      time.Duration `name:"redis-ttl" default:"24h" help:"How long Redis keeps that a name is held, from 1m. A change ends it."`
	HotNameRate   int           `default:"20" help:"How many answers within a second make a taken name hot: all replicas then know it for a minute at a time, by gossip. 0 for none."`
	HotShardLimit int           `default:"100" help:"How many reserves of one virtual shard (of 1024) this replica sends to its database in 100 ms; the rest is told to come again. 0 sends all."`
}

func (f layerFlags) layers() app.Layers {
	return app.Layers{
		CacheEntries: f.CacheEntries, CacheTTL: f.CacheTTL, Redis: f.Redis, RedisTTL: f.RedisTTL, HotName: f.HotNameRate, HotShard: f.HotShardLimit,
	}
}
