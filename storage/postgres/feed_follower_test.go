package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/postgres"
)

// testCause is that of rows without a holding.
const testCause = "TEST"

// addSQL adds one row of one change to the feed.
const addSQL = `INSERT INTO feed (cause, epochs, vshards, kinds, changes, states, keys, actors)
	VALUES ('TEST', '{1}', '{0}', '{1}', '{1}', '{1}', ARRAY[$1], '{""}')`

// add commits one row of the feed.
func add(t testing.TB, d postgres.Database, key string) {
	t.Helper()
	execute(t, d, addSQL, key)
}

// follower is a reader that has nothing but what it has stored: its position, and
// beside it what it has read.
type follower struct {
	stored []byte
	read   []feed.Event
	seen   map[string]bool
}

// follow begins with what is not visible yet.
func follow(t testing.TB, r feed.Reader) *follower {
	t.Helper()
	p, err := r.Now(t.Context())
	require.NoError(t, err)
	return from(t, p)
}

// followBeside begins when so many transactions are open on the whole server: also
// other tests' count as running in a position.
func followBeside(t testing.TB, r feed.Reader, open int) *follower {
	t.Helper()
	var p feed.Position
	require.Eventually(t, func() bool {
		var err error
		p, err = r.Now(context.Background())
		return err == nil && len(p.Running) == open
	}, 30*time.Second, time.Millisecond)
	return from(t, p)
}

func from(t testing.TB, p feed.Position) *follower {
	t.Helper()
	stored, err := p.MarshalBinary()
	require.NoError(t, err)
	return &follower{stored: stored, seen: map[string]bool{}}
}

// position is the stored one.
func (f *follower) position(t testing.TB) (p feed.Position) {
	t.Helper()
	require.NoError(t, p.UnmarshalBinary(f.stored))
	return p
}

// poll reads on from the stored position. It fails as the reader does, or when an
// event comes twice or out of order.
func (f *follower) poll(ctx context.Context, r feed.Reader) error {
	var p feed.Position
	if err := p.UnmarshalBinary(f.stored); err != nil {
		return err
	}
	before := len(f.read)
	polled, err := r.Poll(ctx, p, f.apply)
	if err != nil {
		f.read = f.read[:before]
		return err
	}
	if !slices.IsSortedFunc(f.read[before:], inOrder) {
		return errors.New("events are not in order")
	}
	for _, e := range f.read[before:] {
		if f.seen[name(e)] {
			return fmt.Errorf("event %s comes twice", name(e))
		}
		f.seen[name(e)] = true
	}
	f.stored, err = polled.Position.MarshalBinary()
	return err
}

func (f *follower) apply(page []feed.Event) error {
	f.read = append(f.read, page...)
	return nil
}

func inOrder(a, b feed.Event) int {
	if a.ID != b.ID {
		return int(a.ID - b.ID)
	}
	return a.Ordinal - b.Ordinal
}

func name(e feed.Event) string { return fmt.Sprintf("%d.%d %s", e.ID, e.Ordinal, e.Key) }

// keys are those of the events read, in order of reading.
func (f *follower) keys() (keys []string) {
	for _, e := range f.read {
		keys = append(keys, e.Key)
	}
	return keys
}

// requireAll says that the follower has read exactly what the table has.
func (f *follower) requireAll(t testing.TB, d postgres.Database) {
	t.Helper()
	rows, err := connect(t, d).Query(context.Background(), `SELECT id || '.' || n - 1 || ' ' || key
		FROM (TABLE feed UNION ALL TABLE feed_past) f, unnest(keys) WITH ORDINALITY AS c (key, n)`)
	require.NoError(t, err)
	want, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	got := make([]string, 0, len(f.read))
	for _, e := range f.read {
		got = append(got, name(e))
	}
	slices.Sort(want)
	slices.Sort(got)
	require.Equal(t, want, got)
}

// requireKeysInOrder says that the changes of each holding came in the order in
// which they were made, over all polls: the row's lock orders them.
func (f *follower) requireKeysInOrder(t testing.TB) {
	t.Helper()
	last := map[string]feed.Event{}
	for _, e := range f.read {
		if before, ok := last[e.Key]; ok && e.Cause != testCause {
			require.Positive(t, inOrder(e, before), e.Key)
		}
		last[e.Key] = e
	}
}

// requireVoid says that a position cannot be read on from, and why.
func requireVoid(t testing.TB, r feed.Reader, p feed.Position, reason string) {
	t.Helper()
	_, err := r.Poll(context.Background(), p, func([]feed.Event) error { return errors.New("events of a void position") })
	var void *feed.RebuildError
	require.ErrorAs(t, err, &void)
	require.ErrorContains(t, err, reason)
}

// feedOn opens a store on one database and gives its reader.
func feedOn(t testing.TB, o postgres.Options) feed.Reader {
	t.Helper()
	return open(t, o).Feeds(time.Now)[0]
}

// unavailable says whether an error is that of an outage.
func unavailable(err error) bool {
	var outage *storage.UnavailableError
	return errors.As(err, &outage)
}
