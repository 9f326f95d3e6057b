package redistest

import "go.uber.org/goleak"

// Dialing lets pass what go-redis leaves behind of a server that is away: a goroutine that
// tries once a second to reach it, and sees only then that its pool has been closed.
func Dialing() goleak.Option {
	return goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial")
}
