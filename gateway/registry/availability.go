package registry

import (
	"time"

	"namegate/storage/identifier"
)

// Reason is why a name cannot be had. Its values are those of the GraphQL enum UnavailableReason.
type Reason string

// The reasons, as clients see them.
const (
	Taken       Reason = "TAKEN"
	Reserved    Reason = "RESERVED"
	Protected   Reason = "PROTECTED"
	NotAllowed  Reason = "NOT_ALLOWED"
	Confusable  Reason = "CONFUSABLE"
	InvalidForm Reason = "INVALID"
)

// Layer is what settled a check. Its values are those of the GraphQL enum CheckLayer.
type Layer string

// The layers of a check, in the order in which they are asked.
const (
	LayerPolicy     Layer = "POLICY"
	LayerDenyList   Layer = "DENY_LIST"
	LayerLocalCache Layer = "LOCAL_CACHE"
	LayerFilter     Layer = "FILTER"
	LayerRedis      Layer = "REDIS"
	LayerDatabase   Layer = "DATABASE"
)

// Availability is whether one name can be had.
type Availability struct {
	Requested  string // exactly as asked
	Canonical  string // "" when the name is invalid
	Available  bool
	Reason     Reason                 // "" exactly when Available
	Violations []identifier.Violation // of an invalid name
	DecidedBy  Layer
	AsOf       time.Time // the newest moment whose commits the answer is sure to include
}

// CheckResult is what became of one name of several. The answer counts only
// where Err is nil.
type CheckResult struct {
	Availability
	Err error
}
