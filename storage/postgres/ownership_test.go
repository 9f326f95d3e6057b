package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/postgres"
)

// A statement believes what a store remembers of the vshards only under their
// tag, so each change of any kind must make a new one, and none may come back.
func TestEachChangeOfTheVshardsMakesANewTag(t *testing.T) {
	t.Parallel()
	d := migrated(t, 1).Databases[0]
	seen := map[[16]byte]bool{}
	for _, change := range []string{
		`SELECT`,
		`UPDATE vshards SET epoch = epoch + 1 WHERE vshard = 0`,
		`UPDATE vshards SET epoch = epoch - 1 WHERE vshard = 0`,
		`DELETE FROM vshards WHERE vshard = 0`,
		`INSERT INTO vshards VALUES (0, 'OWNED', 1, gen_random_uuid())`,
		`TRUNCATE vshards`,
	} {
		execute(t, d, change)
		tag := queryOne[[16]byte](t, d, `SELECT vshards_tag FROM identity`)
		require.False(t, seen[tag], change)
		seen[tag] = true
	}
}

// What a store remembers of a vshard is worth nothing once the vshard changed:
// the write takes its epoch from the table, before the store has read it again.
func TestAWriteTakesTheEpochFromAChangedTable(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	s := open(t, o)
	epochOf := func(req storage.ReserveRequest) int64 {
		return queryOne[int64](t, o.Databases[0], `SELECT epoch FROM feed, unnest(keys, epochs) AS c (key, epoch) WHERE key = $1`,
			req.Candidates[0].Key())
	}
	require.EqualValues(t, 1, epochOf(reserveFresh(t, s)))
	execute(t, o.Databases[0], `UPDATE vshards SET epoch = 7`)
	require.EqualValues(t, 7, epochOf(reserveFresh(t, s)))
	require.Eventually(t, func() bool { return postgres.RemembersEpoch(s, 7) }, 10*time.Second, time.Millisecond)
	require.EqualValues(t, 7, epochOf(reserveFresh(t, s)))
}
