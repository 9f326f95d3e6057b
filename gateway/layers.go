package main

import "namegate/gateway/app"

// layerFlags say what keeps calls from the databases, beside the filter.
type layerFlags struct {
	HotShardLimit int `default:"100" help:"How many reserves of one virtual shard (of 1024) this replica sends to its database in 100 ms; the rest is told to come again. 0 sends all."`
}

func (f layerFlags) layers() app.Layers { return app.Layers{HotShard: f.HotShardLimit} }
