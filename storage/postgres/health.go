package postgres

import (
	"context"
	"sync"
	"time"
)

// DatabaseHealth is whether a database answers.
type DatabaseHealth struct {
	Name string
	Err  error // nil when it does; for logs only, it may hold addresses
}

const pingTimeout = time.Second

// Health asks every database at once, for at most a second, whether it answers.
func (s *Store) Health(ctx context.Context) []DatabaseHealth {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	health := make([]DatabaseHealth, len(s.databases))
	var pings sync.WaitGroup
	for i, d := range s.databases {
		pings.Go(func() { health[i] = DatabaseHealth{d.name, d.pool.Ping(ctx)} })
	}
	pings.Wait()
	return health
}
