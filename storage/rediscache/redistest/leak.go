package redistest

// Dialing is what go-redis leaves behind of a server that is away: it tries once a second to
// reach it, and sees only then that its pool has been closed. Searches for leaks let it pass.
const Dialing = "github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"
