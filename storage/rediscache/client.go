package rediscache

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// patience is the limit of whatever no caller waits for.
const patience = 2 * time.Second

// topologyTime is how soon a client of a Cluster asks anew who the primaries are. It would
// not do so for a primary that does not answer any more.
const topologyTime = 2 * time.Second

// newClient opens no connection by itself. A call is tried once, and ends with its context.
func newClient(o *redis.UniversalOptions) redis.UniversalClient {
	// The library's own log goes past ours, and repeats what every failed call returns.
	redis.SetLogger(silent{})
	o.Protocol = 2 // no push messages to look for before each command
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	o.MaxRetries = -1
	o.DialerRetries = 1
	o.ContextTimeoutEnabled = true
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = patience, patience, patience, patience
	o.ReadBufferSize, o.WriteBufferSize = 4<<10, 4<<10
	if o.IsClusterMode {
		cluster := o.Cluster()
		cluster.ClusterStateReloadInterval = topologyTime
		return redis.NewClusterClient(cluster)
	}
	return redis.NewUniversalClient(o)
}

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}
