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
	*into[0].(*int), *into[2].(*bool), *into[3].(*bool) = 1, true, !r.won
	*into[4].(*pgtype.Timestamptz) = pgtype.Timestamptz{Time: time.Unix(1, 0), Valid: r.won}
	return nil
}

// Rows come before the commit. What a run read that was then rolled back must
// not shine through what its repetition reads.
func TestARepeatedRunForgetsTheOneBefore(t *testing.T) {
	t.Parallel()
	b, err := newWinBatch([]win{{id: identifier.Stored(identifier.Username, "a", "a", "a"), grant: storage.Grant{1}}}, causeImport, new(ownership))
	require.NoError(t, err)
	require.NoError(t, b.scan(&winRows{won: true}))
	require.True(t, b.results()[0].won)
	require.NoError(t, b.scan(&winRows{won: false}))
	require.False(t, b.results()[0].won)
}

// The record of a request has one outcome, so only one of its tries in a batch
// may make it.
func TestOneTryOfARequestRecords(t *testing.T) {
	t.Parallel()
	key := storage.NewRequestKey(storage.Anonymous, "one request")
	try := func(name string, key storage.RequestKey) win {
		return win{id: identifier.Stored(identifier.Username, name, name, name), record: &record{key: key}}
	}
	b, err := newWinBatch([]win{try("a", key), try("b", key), try("c", storage.NewRequestKey(storage.Anonymous, "another"))}, causeReserve, new(ownership))
	require.NoError(t, err)
	require.NotNil(t, b.tries[0].record)
	require.Nil(t, b.tries[1].record)
	require.NotNil(t, b.tries[2].record)
}
