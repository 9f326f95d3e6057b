package postgres_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"namegate/storage/feed"
	"namegate/storage/postgres"
)

// Each poll says what its database owns in the snapshot of its events, also when a
// vshard has gone and come back between two.
func TestPollsSayWhatIsOwned(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	d := o.Databases[0]
	r := open(t, o).Feeds(time.Now)[0]
	m, err := copied(t.Context(), r, 0, 1, 511)
	require.NoError(t, err)
	require.NoError(t, m.poll(t.Context(), r))
	want := feed.Owned{}
	for v := range 512 {
		want[v] = 1
	}
	require.Equal(t, want, m.owned)
	same, err := r.PollWhole(t.Context(), m.position, m.tag, 10)
	require.NoError(t, err)
	require.Nil(t, same.Owned)

	for epoch, change := range []string{
		`UPDATE vshards SET state = 'MOVED', epoch = 2 WHERE vshard = 1`,
		`UPDATE vshards SET state = 'OWNED', epoch = 3 WHERE vshard = 1`,
		`UPDATE vshards SET state = 'FROZEN', frozen_until = now() WHERE vshard = 1`,
		`UPDATE vshards SET state = 'OWNED', frozen_until = NULL, epoch = 5 WHERE vshard = 1; UPDATE vshards SET epoch = 6 WHERE vshard = 1`,
	} {
		_, err := connect(t, d).Exec(t.Context(), change, pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err)
		add(t, d, fmt.Sprint(epoch))
		require.NoError(t, m.poll(t.Context(), r))
		want[1] = []int64{0, 3, 0, 6}[epoch]
		require.Equal(t, want, m.owned)
	}
	// Also the slow way says so.
	execute(t, d, `UPDATE vshards SET epoch = 9 WHERE vshard = 0`)
	execute(t, d, fmt.Sprintf(`DO $$ BEGIN FOR i IN 1..%d LOOP %s; END LOOP; END $$`, postgres.FeedPageRows+1, twoSQL))
	require.NoError(t, m.poll(t.Context(), r))
	require.EqualValues(t, 9, m.owned[0])
}

func TestAPollThatIsTooLarge(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	d := o.Databases[0]
	r := open(t, o).Feeds(time.Now)[0]
	p := follow(t, r).position(t)
	for _, rows := range []int{2, 3 * postgres.FeedPageRows} {
		execute(t, d, fmt.Sprintf(`DO $$ BEGIN FOR i IN 1..%d LOOP %s; END LOOP; END $$`, rows, twoSQL))
		var large *feed.TooLargeError
		_, err := r.PollWhole(t.Context(), p, [16]byte{}, 2*rows-1)
		require.ErrorAs(t, err, &large)
		whole, err := r.PollWhole(t.Context(), p, [16]byte{}, 2*rows)
		require.NoError(t, err)
		require.Len(t, whole.Events, 2*rows)
		p = whole.Position
	}
}

// Where transactions are not READ COMMITTED by themselves, each of the first polls finds
// out, also beside others that do.
func TestFirstPollsAtOnce(t *testing.T) {
	t.Parallel()
	o := migrated(t, 1)
	isolate(t, o.Databases[0], "serializable")
	s := open(t, o)
	r := s.Feeds(time.Now)[0]
	p := follow(t, r).position(t)
	errs := make([]error, 4)
	for _, conn := range connections(t, s, len(errs)) { // so that no poll waits for one
		conn.Release()
	}
	var polls sync.WaitGroup
	for i := range errs {
		polls.Go(func() { _, errs[i] = r.Poll(t.Context(), p, nil) })
	}
	polls.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
}

// connections are so many of the pool of a store's first database.
func connections(t *testing.T, s *postgres.Store, n int) (list []*pgxpool.Conn) {
	t.Helper()
	for range n {
		conn, err := postgres.Pool(s).Acquire(t.Context())
		require.NoError(t, err)
		list = append(list, conn)
	}
	return list
}
