package graph

import (
	"context"
	"net/netip"

	"github.com/99designs/gqlgen/graphql"

	"namegate/gateway/ratelimit"
	"namegate/gateway/registry"
	"namegate/graph/model"
)

// shownBuckets are those of the schema.
var shownBuckets = []ratelimit.Bucket{ratelimit.Check, ratelimit.Verify, ratelimit.Signup}

// standings are what an address has left of each bucket that has a limit.
func (r *Resolver) standings(ctx context.Context, client netip.Addr) []model.RateLimitStatus {
	list := []model.RateLimitStatus{}
	for _, bucket := range shownBuckets {
		if s, on := r.limiter.Standing(ctx, client, bucket); on {
			list = append(list, newStanding(bucket, s))
		}
	}
	return list
}

// takeLimit charges a person for what a back end is about to do. It is null when the
// bucket has no limit.
func (r *Resolver) takeLimit(ctx context.Context, in model.TakeRateLimitInput) (*model.RateLimitStatus, error) {
	client, err := netip.ParseAddr(in.Address)
	if err != nil {
		return nil, &registry.InputError{Message: "address must be an IPv4 or IPv6 address"}
	}
	if refused := r.limiter.Take(ctx, client, []ratelimit.Charge{{Bucket: in.Bucket, Cost: 1}}); refused != nil {
		e := rateLimited(refused)
		e.Path = graphql.GetPath(ctx)
		return nil, e
	}
	s, on := r.limiter.Standing(ctx, client, in.Bucket)
	if !on {
		return nil, nil
	}
	shown := newStanding(in.Bucket, s)
	return &shown, nil
}

func newStanding(bucket ratelimit.Bucket, s ratelimit.Standing) model.RateLimitStatus {
	return model.RateLimitStatus{Bucket: bucket, Limit: int32(s.Limit), Remaining: int32(s.Remaining), ResetAt: s.ResetAt}
}
