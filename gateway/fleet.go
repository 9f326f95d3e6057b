package main

import (
	"time"

	"namegate/gateway/app"
)

// filterFlags say what answers checks from memory, and with whom it is shared.
type filterFlags struct {
	Filter         bool          `default:"true" negatable:"" help:"Keep a filter of all usernames in memory, which answers that a name is free without asking a database."`
	Staleness      time.Duration `default:"5s" help:"How long ago the databases may have been read for an answer from memory, from 1s to 1m. Beyond it the databases are asked."`
	GossipKeyFile  string        `placeholder:"FILE" help:"File with the keys of the fleet's gossip and transfers, of at least 32 bytes, one a line, newest first, the same on all replicas. Without it the replica stands alone."`
	GossipInsecure bool          `default:"false" help:"Share filters without a key: whoever reaches the ports can then have names called free."`
	Gossip         string        `default:":7946" help:"Where to listen for gossip, TCP and UDP. Port 0 takes any free one."`
	Transfer       string        `default:":7947" help:"Where others get filters from this replica. Port 0 takes any free one."`
	Advertise      string        `placeholder:"IP" help:"Address at which other replicas reach this one. Required with gossip, unless --gossip names it."`
	Join           []string      `placeholder:"HOST:PORT" sep:"," help:"Gossip of some other replicas. Names are resolved again at each attempt."`
	ReplicaID      string        `placeholder:"ID" name:"replica-id" help:"Name of this replica, stable over restarts: 1 to 32 of a-z A-Z 0-9 . _ -, not a dot at first. By default one is made and kept in --data-dir."`
}

func (f filterFlags) filter() app.Filter { return app.Filter{On: f.Filter, Staleness: f.Staleness} }

func (f filterFlags) fleet() app.Fleet {
	return app.Fleet{
		KeyFile: f.GossipKeyFile, Insecure: f.GossipInsecure, Gossip: f.Gossip, Transfer: f.Transfer,
		Advertise: f.Advertise, Join: f.Join, ReplicaID: f.ReplicaID,
	}
}
