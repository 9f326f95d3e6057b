package graph

import (
	"net/http"
	"strconv"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"namegate/gateway/ratelimit"
)

// rateLimited is what the client is told of a refusal: when to come again or, of what
// costs more than the whole limit, both numbers, as no time would do.
func rateLimited(r *ratelimit.Refusal) *gqlerror.Error {
	if r.TooDear() {
		e := refuse(codeRateLimited, "operation costs %d of %s, of which there are %d in %v", r.Cost, r.Bucket, r.Limit.Calls, r.Limit.Per)
		e.Extensions["bucket"], e.Extensions["cost"], e.Extensions["limit"] = r.Bucket, r.Cost, r.Limit.Calls
		return e
	}
	e := refuse(codeRateLimited, "too many calls from this address")
	e.Extensions["bucket"] = r.Bucket
	e.Extensions[retryAfterMs] = milliseconds(r.RetryAfter)
	return e
}

// milliseconds are rounded up, so that a client that waits so long never comes too early.
func milliseconds(d time.Duration) int64 {
	return (d + time.Millisecond - 1).Milliseconds()
}

// setRetryAfter tells the time to wait in HTTP's own terms: whole seconds, rounded up
// (RFC 9110, section 10.2.3).
func setRetryAfter(header http.Header, errs gqlerror.List) {
	if ms, ok := errs[0].Extensions[retryAfterMs].(int64); ok {
		header.Set("Retry-After", strconv.FormatInt((ms+999)/1000, 10))
	}
}
