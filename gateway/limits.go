package main

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"namegate/gateway/app"
	"namegate/gateway/ratelimit"
)

// limitFlags say what one client address may do.
type limitFlags struct {
	RateLimit     []limit        `placeholder:"BUCKET=N/DURATION" sep:";" help:"What one client address may do, IPv6 by /64: check=60/1m, signup=10/1m, verify=3/1m (codes sent, as back ends ask by takeRateLimit) and refused=300/1m (documents refused, calls sent again) by default; bucket=off or off for none. Any window of the duration, up to 1h, admits so many. Give the flag once for each bucket; one value may hold several with ; between them."`
	RateLimitWide int            `default:"16" help:"How many times the limit of an address its neighbourhood has, a /24 or for IPv6 a /48; 0 for no such limit."`
	TrustedProxy  []netip.Prefix `placeholder:"CIDR" sep:"," help:"Network of proxies that append the address of their caller to X-Forwarded-For. Nobody else's header counts."`
}

func (f limitFlags) limits() app.Limits {
	rules := ratelimit.DefaultRules()
	for _, l := range f.RateLimit {
		for _, bucket := range l.buckets {
			rules[bucket] = l.limit
		}
	}
	return app.Limits{Rules: rules, WideFactor: f.RateLimitWide, Trusted: f.TrustedProxy}
}

// limit is a value of --rate-limit: one limit for some buckets.
type limit struct {
	buckets []ratelimit.Bucket
	limit   ratelimit.Limit // zero for none
}

var errLimit = errors.New("expected BUCKET=N/DURATION such as check=60/1m, BUCKET=off, or off; buckets are check, signup, verify and refused")

// UnmarshalText reads BUCKET=N/DURATION, BUCKET=off or off.
func (l *limit) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		l.buckets = ratelimit.Buckets()
		return nil
	}
	name, value, _ := strings.Cut(string(text), "=")
	bucket := ratelimit.Bucket(strings.ToUpper(name))
	if !slices.Contains(ratelimit.Buckets(), bucket) {
		return errLimit
	}
	l.buckets = []ratelimit.Bucket{bucket}
	if value == "off" {
		return nil
	}
	return l.read(value)
}

// read reads N/DURATION.
func (l *limit) read(value string) (err error) {
	calls, per, _ := strings.Cut(value, "/")
	if l.limit.Calls, err = strconv.Atoi(calls); err != nil {
		return errLimit
	}
	if l.limit.Per, err = time.ParseDuration(per); err != nil {
		return errLimit
	}
	return l.limit.Validate()
}
