package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/postgres"
)

// entry is a row of the feed: what happened to the row of a name.
type entry struct {
	Change, State int16
	Cause, Actor  string
}

func feedOf(t *testing.T, d postgres.Database, key string) []entry {
	t.Helper()
	rows, err := connect(t, d).Query(t.Context(), `
		SELECT change, state, cause, actor FROM feed, unnest(changes, states, keys, actors) AS c (change, state, key, actor)
		WHERE key = $1 ORDER BY id`, key)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[entry])
	require.NoError(t, err)
	return list
}

func TestTheFeedTellsEachChangeOnce(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s := open(t, o)
	name := freshName()
	elapsed := request(name)
	elapsed.TTL, elapsed.Actor = 1000, "first" // 1000 ns: a microsecond
	held := request(name)
	for _, req := range []storage.ReserveRequest{elapsed, held, held} { // the resend changes nothing
		_, err := s.Reserve(t.Context(), req)
		require.NoError(t, err)
	}
	_, err := s.Reserve(t.Context(), request(name)) // nor does a loser
	require.Error(t, err)
	_, err = s.Cancel(t.Context(), held.Request)
	require.NoError(t, err)
	_, err = s.Cancel(t.Context(), held.Request)
	require.ErrorIs(t, err, storage.ErrNotFound)
	_, err = s.Import(t.Context(), []storage.ImportLine{{Number: 1, Identifier: name}})
	require.NoError(t, err)
	require.Equal(t, []entry{
		{1, int16(storage.Reserved), "RESERVE", "first"},
		{0, int16(storage.Reserved), "RESERVE", ""}, // a takeover: the row stays
		{-1, int16(storage.Released), "CANCEL", ""},
		{1, int16(storage.Active), "IMPORT", "import"},
	}, feedOf(t, o.Databases[0], name.Key()))
	require.Equal(t, 1, queryOne[int](t, o.Databases[0], `SELECT count(*) FROM audit WHERE key = $1`, name.Key()))
}

// A loser must cost the database nothing: no row lock, no transaction id, no WAL.
func TestLosersWriteNothing(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s := open(t, o)
	name := freshName()
	_, err := s.Import(t.Context(), []storage.ImportLine{{Number: 1, Identifier: name}})
	require.NoError(t, err)
	rows := `SELECT (SELECT count(*) FROM feed) + (SELECT count(*) FROM requests) + (SELECT count(*) FROM holdings)`
	locked := `SELECT xmax::text::bigint FROM holdings WHERE key = $1`
	before := queryOne[int](t, o.Databases[0], rows)
	for range 20 {
		_, err := s.Reserve(t.Context(), request(name))
		var held *storage.HeldError
		require.ErrorAs(t, err, &held)
	}
	require.Equal(t, before, queryOne[int](t, o.Databases[0], rows))
	require.Zero(t, queryOne[int64](t, o.Databases[0], locked, name.Key()))
}
