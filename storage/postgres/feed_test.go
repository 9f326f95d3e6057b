package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
	"namegate/storage/postgres"
)

func TestTheFeedGivesEveryChangeWithAllOfIt(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	s := open(t, o)
	sent := time.Unix(1_700_000_000, 0)
	readers := s.Feeds(func() time.Time { return sent })
	require.Len(t, readers, 2)
	require.Equal(t, "b", readers[1].Database())
	p, err := readers[1].Now(t.Context())
	require.NoError(t, err)

	id := nameIn(1)
	req := request(id)
	req.Actor = "service:1"
	_, err = s.Reserve(t.Context(), req)
	require.NoError(t, err)
	_, err = s.Cancel(t.Context(), req.Request)
	require.NoError(t, err)

	var read []feed.Event
	polled, err := readers[1].Poll(t.Context(), p, func(page []feed.Event) error {
		read = append(read, page...)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, sent, polled.Sent)
	require.Equal(t, queryOne[[16]byte](t, o.Databases[1], `SELECT vshards_tag FROM identity`), polled.VshardsTag)
	require.Equal(t, queryOne[int64](t, o.Databases[1], `SELECT vshards_version FROM identity`), polled.VshardsVersion)
	require.Len(t, read, 2)
	for i, want := range []feed.Event{
		{Change: feed.Came, State: storage.Reserved, Cause: "RESERVE", Actor: "service:1"},
		{Change: feed.Went, State: storage.Released, Cause: "CANCEL"},
	} {
		got := read[i]
		require.WithinDuration(t, time.Now(), got.At, time.Minute)
		require.Positive(t, got.ID)
		want.ID, want.At, want.Epoch = got.ID, got.At, 1
		want.Key, want.Kind, want.Vshard = id.Key(), identifier.Username, storage.VshardOf(id)
		require.Equal(t, want, got)
	}
	none, err := readers[1].Poll(t.Context(), polled.Position, func([]feed.Event) error { return errors.New("news") })
	require.NoError(t, err)
	require.Equal(t, polled.Position.Xmax, none.Position.Xmax)
}

// Where a reader may begin: with what comes, or with all that is kept. Both
// include a transaction that was under way.
func TestWhereAReaderBegins(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	r := feedOn(t, o)
	requireVoid(t, r, feed.Position{}, "there is none yet")
	open, err := connect(t, o.Databases[0]).Begin(t.Context())
	require.NoError(t, err)
	_, err = open.Exec(t.Context(), addSQL, "open")
	require.NoError(t, err)
	add(t, o.Databases[0], "before")

	now := follow(t, r)
	p, err := r.Oldest(t.Context())
	require.NoError(t, err)
	oldest := from(t, p)
	require.NoError(t, oldest.poll(t.Context(), r))
	add(t, o.Databases[0], "after")
	require.NoError(t, open.Commit(t.Context()))

	require.NoError(t, now.poll(t.Context(), r))
	require.NoError(t, oldest.poll(t.Context(), r))
	require.Equal(t, []string{"open", "after"}, now.keys())
	require.Equal(t, []string{"before", "open", "after"}, oldest.keys())
}

// A poll of more than a page has one snapshot, and what is committed while its
// pages are applied comes with the next one.
func TestAPollInPages(t *testing.T) {
	t.Parallel()
	direct := migrated(t, 1)
	pooled := migrated(t, 1)
	behind := pooled
	behind.Databases, behind.QueryMode = startPgbouncer(t, pooled.Databases), postgres.PlainQueries
	t.Run("direct", func(t *testing.T) { pollInPages(t, direct, direct.Databases[0]) })
	t.Run("behind pgbouncer", func(t *testing.T) { pollInPages(t, behind, pooled.Databases[0]) })
}

// twoSQL adds a row of two changes.
const twoSQL = `INSERT INTO feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
	VALUES ('TEST', '{1,1}', '{0,0}', '{1,1}', '{1,1}', '{1,1}', ARRAY['a' || i, 'b' || i], '{"",""}')`

func pollInPages(t *testing.T, o postgres.Options, d postgres.Database) {
	const rows = 4 * postgres.FeedPageRows
	r := feedOn(t, o)
	f := follow(t, r)
	execute(t, d, fmt.Sprintf(`DO $$ BEGIN FOR i IN 1..%d LOOP %s; COMMIT; END LOOP; END $$`, rows, twoSQL))
	p := f.position(t)
	broken := errors.New("cannot apply")
	pages := 0
	_, err := r.Poll(t.Context(), p, func([]feed.Event) error {
		if pages++; pages == 3 {
			return broken
		}
		return nil
	})
	require.ErrorIs(t, err, broken)
	require.Equal(t, 3, pages)

	polled, err := r.Poll(t.Context(), p, func(page []feed.Event) error {
		add(t, d, "late")
		return f.apply(page)
	})
	require.NoError(t, err)
	require.Len(t, f.read, 2*rows)
	require.IsIncreasing(t, ids(f.read))
	f.stored, err = polled.Position.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, f.poll(t.Context(), r))
	f.requireAll(t, d)
}

// ids are one number for each event, in the order of application.
func ids(events []feed.Event) (list []int64) {
	for _, e := range events {
		list = append(list, e.ID*1000+int64(e.Ordinal))
	}
	return list
}

func TestAPollThatTheDatabaseDoesNotAnswer(t *testing.T) {
	t.Parallel()
	own, o := ownServer(t)
	r := open(t, o).Feeds(time.Now)[1]
	p, err := r.Now(t.Context())
	require.NoError(t, err)
	require.NoError(t, own.Pause())
	_, err = r.Poll(limited(t), p, func([]feed.Event) error { return nil })
	requireUnavailable(t, err)
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, err = r.Poll(gone, p, func([]feed.Event) error { return nil })
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, own.Resume())
	require.Eventually(t, func() bool {
		_, err := r.Poll(limited(t), p, func([]feed.Event) error { return nil })
		return err == nil
	}, 30*time.Second, 10*time.Millisecond)
}
