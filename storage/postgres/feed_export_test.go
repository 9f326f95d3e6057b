package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// FeedPageRows is from how many rows on a poll comes in pages.
const FeedPageRows = feedPageRows

// The statements of a feed's readers, and the settings that they are planned under.
const (
	FeedPagesSQL = feedPagesSQL
	FeedStartSQL = feedHeadSQL
	FeedLimits   = feedLimits
	ReadLimits   = readLimits
)

// TrimPartitions trims the first database of a store.
func TrimPartitions(ctx context.Context, s *Store, auditAge time.Duration) error {
	return s.databases[0].trimPartitions(ctx, auditAge)
}

// RotateFeed puts the feed's table of the first database of a store aside, due or not.
func RotateFeed(ctx context.Context, s *Store) error {
	return s.databases[0].alter(ctx, rotateSQL("true"))
}

// Pool is that of the first database of a store.
func Pool(s *Store) *pgxpool.Pool { return s.databases[0].pool }
