package postgres

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

// winRows is a result of winSQL with one row: the first name was won, or is held.
type winRows struct {
	pgx.Rows
	won, read bool
}

func (r *winRows) Next() bool                    { first := !r.read; r.read = true; return first }
func (r *winRows) Close()                        {}
func (r *winRows) Err() error                    { return nil }
func (r *winRows) CommandTag() pgconn.CommandTag { return pgconn.CommandTag{} }

func (r *winRows) Scan(into ...any) error {
	*into[0].(*int), *into[1].(*bool), *into[2].(*bool) = 1, true, !r.won
	*into[3].(*pgtype.Timestamptz) = pgtype.Timestamptz{Time: time.Unix(1, 0), Valid: r.won}
	return nil
}

// Rows come before the commit. What a run read that was then rolled back must
// not shine through what its repetition reads.
func TestARepeatedRunForgetsTheOneBefore(t *testing.T) {
	t.Parallel()
	b := newWinBatch([]win{{id: identifier.Stored(identifier.Username, "a", "a", "a"), grant: storage.Grant{1}}}, causeImport)
	require.NoError(t, b.scan(&winRows{won: true}))
	require.True(t, b.results()[0].won)
	require.NoError(t, b.scan(&winRows{won: false}))
	require.False(t, b.results()[0].won)
}
