package main

import (
	"time"

	"namegate/gateway/app"
)

// retentionFlags say how long it is remembered what was done.
type retentionFlags struct {
	RequestRetention period `default:"30d" help:"How long a resent request gets its outcome again, from 1d to 3650d."`
	AuditRetention   period `default:"730d" help:"How long the databases keep who had which identifier, from 1d to 36500d."`
}

func (f retentionFlags) retention() app.Retention {
	return app.Retention{Requests: time.Duration(f.RequestRetention), Audit: time.Duration(f.AuditRetention)}
}
