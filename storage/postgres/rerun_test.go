package postgres

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"namegate/storage"
)

// oneRow is a result with one row, or with none when it was read.
type oneRow struct {
	pgx.Rows
	read bool
	fill func(into []any)
}

func (r *oneRow) Next() bool                    { first := !r.read; r.read = true; return first }
func (r *oneRow) Close()                        {}
func (r *oneRow) Err() error                    { return nil }
func (r *oneRow) CommandTag() pgconn.CommandTag { return pgconn.CommandTag{} }
func (r *oneRow) Scan(into ...any) error        { r.fill(into); return nil }

// Rows come before the commit. A transaction of a saga that was decided, then rolled
// back, and run again without a decision has not decided anything.
func TestARepeatedDecisionForgetsTheOneBefore(t *testing.T) {
	t.Parallel()
	var result decided
	statements, err := (&saga{change: storage.Change{Owner: "user:1"}}).decideAlone(nil, &result)
	require.NoError(t, err)
	scan := statements[len(statements)-1].scan
	require.NoError(t, scan(&oneRow{fill: func(into []any) {
		*into[0].(*pgtype.Timestamptz) = pgtype.Timestamptz{Time: time.Unix(1, 0), Valid: true}
	}}))
	require.True(t, result.done)
	require.NoError(t, scan(&oneRow{read: true}))
	require.Zero(t, result)
}

func TestARepeatedStatementForgetsTheValueBefore(t *testing.T) {
	t.Parallel()
	var begun bool
	scan := scanOne(&begun)
	require.NoError(t, scan(&oneRow{fill: func(into []any) { *into[0].(*bool) = true }}))
	require.True(t, begun)
	require.NoError(t, scan(&oneRow{read: true}))
	require.False(t, begun)
}
