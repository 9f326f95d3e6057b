package postgres_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/feed"
)

// Builds are counted by the owner, each pair once, also when several replicas ask for the
// same vshards in any order; what a database does not own is left out.
func TestBuildsAreNumbered(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	readers := open(t, o).Feeds(time.Now)
	tag := queryOne[[16]byte](t, o.Databases[0], `SELECT vshards_tag FROM identity`)
	ids := []storage.Vshard{3, 900, 7, 5}
	var mu sync.Mutex
	numbers := map[storage.Vshard][]uint64{}
	var builds sync.WaitGroup
	for i := range 40 {
		builds.Go(func() {
			some := slices.Clone(ids)
			if i%2 == 0 {
				slices.Reverse(some)
			}
			got, err := readers[0].NextBuilds(t.Context(), some)
			require.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			for v, b := range got {
				require.EqualValues(t, 1, b.Epoch)
				numbers[v] = append(numbers[v], b.Number)
			}
		})
	}
	builds.Wait()
	require.Len(t, numbers, 3, "the second database has 900")
	for _, list := range numbers {
		slices.Sort(list)
		for i, n := range list {
			require.EqualValues(t, i+1, n)
		}
	}
	require.Equal(t, tag, queryOne[[16]byte](t, o.Databases[0], `SELECT vshards_tag FROM identity`), "nobody need read the vshards again")

	execute(t, o.Databases[0], `UPDATE vshards SET state = 'MOVED', epoch = 2 WHERE vshard = 3`)
	got, err := readers[0].NextBuilds(t.Context(), ids[:1])
	require.NoError(t, err)
	require.Empty(t, got)
	execute(t, o.Databases[1], `INSERT INTO vshards (vshard, state, epoch, move_id) VALUES (3, 'OWNED', 2, gen_random_uuid())`)
	got, err = readers[1].NextBuilds(t.Context(), ids[:1])
	require.NoError(t, err)
	require.Equal(t, map[storage.Vshard]feed.Build{3: {Epoch: 2, Number: 1}}, got)
}
