package rediscache

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/rediscache/redistest"
)

// run gives what a script says.
func run(t *testing.T, s *redistest.Server, script *redis.Script, keys []string, args ...any) any {
	t.Helper()
	answer, err := script.Run(t.Context(), s.Admin, keys, args...).Result()
	require.NoError(t, err)
	return answer
}

// stored is an entry of one generation: taken with a version, or free without.
func stored(t *testing.T, g generation, epoch, id int64) []byte {
	t.Helper()
	e := entry{generation: g, Standing: storage.Standing{Version: storage.Version{Epoch: epoch, ID: id}}}
	if id > 0 {
		e.Held = &storage.Holding{Identifier: ada, State: storage.Active}
	}
	b, err := e.encode("ada")
	require.NoError(t, err)
	return b
}

func TestWhichEntryStays(t *testing.T) {
	t.Parallel()
	s, keys := redistest.New(t), namespace("n:").trio("ada")
	other := generation{2}
	for what, row := range map[string]struct {
		before, fill []byte
		done         int64
	}{
		"first":                        {nil, stored(t, one, 1, 5), 1},
		"newer":                        {stored(t, one, 1, 5), stored(t, one, 1, 6), 1},
		"the same":                     {stored(t, one, 1, 5), stored(t, one, 1, 5), 1},
		"older":                        {stored(t, one, 1, 6), stored(t, one, 1, 5), 0},
		"older by a high byte":         {stored(t, one, 1, 1<<40), stored(t, one, 1, 255), 0},
		"of a later epoch":             {stored(t, one, 1, 6), stored(t, one, 2, 5), 1},
		"free beside taken":            {stored(t, one, 1, 5), stored(t, one, 1, 0), 0},
		"taken in place of free":       {stored(t, one, 1, 0), stored(t, one, 1, 5), 1},
		"older, but of today":          {stored(t, other, 1, 6), stored(t, one, 1, 5), 1},
		"free, of another time":        {stored(t, other, 1, 6), stored(t, one, 1, 0), 1},
		"in place of what is no entry": {[]byte("\x01t"), stored(t, one, 1, 5), 1},
	} {
		s.Do(t, "FLUSHALL")
		if row.before != nil {
			s.Do(t, "SET", keys[0], row.before)
		}
		s.Do(t, "SET", keys[2], "token")
		require.Equal(t, row.done, run(t, s, fillScript, keys, "token", row.fill, 1000), what)
		want := row.fill
		if row.done == 0 {
			want = row.before
		}
		require.Equal(t, string(want), s.Do(t, "GET", keys[0]), what)
		require.Nil(t, s.Do(t, "GET", keys[2]), what)
	}
}

func TestTheHighestTombstoneStays(t *testing.T) {
	t.Parallel()
	s, keys := redistest.New(t), namespace("n:").trio("ada")
	version := func(id int64) string { return string(appendVersion(nil, storage.Version{Epoch: 1, ID: id})) }
	for _, id := range []int64{300, 7, 301, 5} {
		run(t, s, applyScript, keys, version(id), 1000)
	}
	require.Equal(t, version(301), s.Do(t, "GET", keys[1]))
	s.Do(t, "SET", keys[1], "damaged")
	run(t, s, applyScript, keys, version(3), 1000)
	require.Equal(t, version(3), s.Do(t, "GET", keys[1]))
}

// A leader that was overtaken changes nothing, and no position stands without a generation.
func TestOnlyWhoKnowsThePositionMovesIt(t *testing.T) {
	t.Parallel()
	s, keys := redistest.New(t), []string{"position", "generation"}
	require.Zero(t, run(t, s, moveScript, keys, "", "p1", ""), "no generation")
	require.NotZero(t, run(t, s, moveScript, keys, "", "p1", "g1"))
	require.Zero(t, run(t, s, moveScript, keys, "", "p2", "g2"), "another one began before")
	require.NotZero(t, run(t, s, moveScript, keys, "p1", "p2", ""))
	require.Zero(t, run(t, s, moveScript, keys, "p1", "p3", ""))
	require.Equal(t, []any{"p2", "g1"}, s.Do(t, "MGET", keys[0], keys[1]))
	s.Do(t, "FLUSHALL")
	require.Zero(t, run(t, s, moveScript, keys, "p2", "p3", ""), "all was lost meanwhile")
	require.Equal(t, []any{nil, nil}, s.Do(t, "MGET", keys[0], keys[1]))
}

func TestLocksAreTheirHoldersOwn(t *testing.T) {
	t.Parallel()
	s, keys := redistest.New(t), []string{"lock"}
	require.EqualValues(t, 1, run(t, s, holdScript, keys, "a", lockTime.Milliseconds()))
	require.EqualValues(t, 0, run(t, s, holdScript, keys, "b", lockTime.Milliseconds()))
	require.EqualValues(t, 1, run(t, s, holdScript, keys, "a", time.Hour.Milliseconds()), "renewed")
	require.Greater(t, s.Do(t, "PTTL", "lock"), lockTime.Milliseconds())
	require.EqualValues(t, 0, run(t, s, releaseScript, keys, "b"))
	require.EqualValues(t, 1, run(t, s, releaseScript, keys, "a"))
	require.Nil(t, s.Do(t, "GET", "lock"))
}
