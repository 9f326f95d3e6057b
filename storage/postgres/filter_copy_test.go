package postgres_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

// A copy has every row of its vshards and kind, whatever is to become of it, and no other.
func TestWhatACopyHas(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	d := o.Databases[0]
	r := open(t, o).Feeds(time.Now)[0]
	execute(t, d, `UPDATE vshards SET epoch = 4 WHERE vshard = 3`)
	insert := `INSERT INTO holdings (vshard, kind, state, since, expire_at, grant_id, key, blocked) VALUES `
	execute(t, d, insert+`(3, 1, 1, now(), now() - interval '1 day', gen_random_uuid(), 'ran.out', false),
		(3, 1, 2, now(), NULL, gen_random_uuid(), '`+"tab\there, back\\slash, ünï"+`', false),
		(5, 1, 3, now(), now(), gen_random_uuid(), 'protected', false), (5, 1, 4, now(), NULL, gen_random_uuid(), 'blocked', true),
		(5, 2, 2, now(), NULL, gen_random_uuid(), 'another kind', false), (6, 1, 2, now(), NULL, gen_random_uuid(), 'another vshard', false)`)
	execute(t, d, `INSERT INTO holdings (vshard, kind, state, since, expire_at, grant_id, key, intent_grant, intent_request, intent_vshard, intent_attempt, intent_until)
		SELECT 5, 1, 1, now(), now(), g, 'intent', g, g, 1, g, now() FROM gen_random_uuid() g`)
	rows := map[string]feed.Row{}
	c, err := r.Copy(t.Context(), identifier.Username, []storage.Vshard{5, 3}, func(page []feed.Row) error {
		for _, row := range page {
			rows[row.Key] = row
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []int64{1, 4}, c.Epochs)
	require.EqualValues(t, 5, c.Rows)
	want := []feed.Row{
		{Vshard: 5, State: storage.Released, Key: "blocked"},
		{Vshard: 5, State: storage.Reserved, Key: "intent"},
		{Vshard: 5, State: storage.Protected, Key: "protected"},
		{Vshard: 3, State: storage.Reserved, Key: "ran.out"},
		{Vshard: 3, State: storage.Active, Key: "tab\there, back\\slash, ünï"},
	}
	require.Equal(t, want, slices.SortedFunc(maps.Values(rows), func(a, b feed.Row) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	}))
}

// A database copies only what it owns: what is left of another stay, or has not all
// come yet, is nobody's truth.
func TestACopyOfWhatIsNotOwned(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	r := open(t, o).Feeds(time.Now)[0]
	never := func([]feed.Row) error { return errors.New("a page of what is not owned") }
	execute(t, o.Databases[0], `UPDATE vshards SET state = 'INCOMING' WHERE vshard = 2`)
	for _, v := range []storage.Vshard{2, 700} {
		var refused *feed.NotOwnedError
		_, err := r.Copy(t.Context(), identifier.Username, []storage.Vshard{1, v}, never)
		require.ErrorAs(t, err, &refused)
		require.Equal(t, v, refused.Vshard)
	}
	c, err := r.Copy(t.Context(), identifier.Username, nil, never)
	require.NoError(t, err)
	require.Zero(t, c.Rows)
}

// A copy goes on for longer than a statement may otherwise, ends with its caller, and
// keeps nobody from putting the feed aside.
func TestACopyThatTakesLong(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	execute(t, d, `INSERT INTO holdings (vshard, kind, state, since, grant_id, key)
		SELECT n % 1024, 1, 2, now(), gen_random_uuid(), 'name.' || n FROM generate_series(1, 20000) n`)
	add(t, d, "before")
	broken, pages, total := errors.New("cannot apply"), 0, 0
	_, err := r.Copy(t.Context(), identifier.Username, allVshards(), func(page []feed.Row) error {
		if pages++; pages == 2 {
			return broken
		}
		return nil
	})
	require.ErrorIs(t, err, broken)

	c, err := r.Copy(t.Context(), identifier.Username, allVshards(), func(page []feed.Row) error {
		if total == 0 {
			require.NoError(t, postgres.RotateFeed(t.Context(), s))
			add(t, d, "meanwhile")
		}
		total += len(page)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 20000, total)
	f := from(t, c.Position)
	require.NoError(t, f.poll(t.Context(), r))
	require.Equal(t, []string{"meanwhile"}, f.keys())

	ctx, leave := context.WithCancel(t.Context())
	_, err = r.Copy(ctx, identifier.Username, allVshards(), func([]feed.Row) error { leave(); return nil })
	require.ErrorIs(t, err, context.Canceled)
	copying := `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY%' AND state = 'active'`
	require.Eventually(t, func() bool { return queryOne[int](t, d, copying) == 0 }, 10*time.Second, time.Millisecond)
}
