package ratelimit

import (
	"context"
	"net/netip"
	"time"
)

// Bucket names what is limited.
type Bucket string

// The buckets. Those but Refused are the values of the GraphQL enum RateLimitBucket.
const (
	// Check is for checks of names.
	Check Bucket = "CHECK"
	// Verify is for codes that are sent to prove control over an address or a number.
	Verify Bucket = "VERIFY"
	// Signup is for reservations, confirmations and renames.
	Signup Bucket = "SIGNUP"
	// Refused is for documents that are refused, and for calls sent again.
	Refused Bucket = "REFUSED"
)

// Buckets are all buckets.
func Buckets() []Bucket { return []Bucket{Check, Verify, Signup, Refused} }

// OnceWindow is how long a charge is remembered by its Charge.Once, so that the same call
// sent again costs nothing of its bucket.
const OnceWindow = 15 * time.Minute

// Charge is what one field of an operation costs.
type Charge struct {
	Bucket Bucket
	Cost   int // from 0
	// Once tells a call that may be sent again from all others; "" for one that may not.
	// A call that this client was charged for within OnceWindow costs 1 of Refused instead.
	Once string
}

// Refusal says which limit an operation is over.
type Refusal struct {
	Bucket Bucket
	Limit  Limit
	Cost   int // of the operation, of this bucket
	// RetryAfter is when the same operation is admitted if nothing else comes meanwhile;
	// 0 when it costs more than the whole limit, so never.
	RetryAfter time.Duration
}

// TooDear says that no waiting will do.
func (r *Refusal) TooDear() bool { return r.Cost > r.Limit.Calls }

// Standing is what a client has left of a bucket.
type Standing struct {
	Limit, Remaining int
	// ResetAt is when all of it is left, if nothing else comes.
	ResetAt time.Time
}

// Limiter limits clients. It is safe for concurrent use.
type Limiter interface {
	// Take charges a client for one operation, all of it or nothing; nil admits it.
	Take(ctx context.Context, client netip.Addr, charges []Charge) *Refusal
	// Standing reads, free of charge; false when the bucket has no limit.
	Standing(ctx context.Context, client netip.Addr, bucket Bucket) (Standing, bool)
}
