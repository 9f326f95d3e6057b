package postgres_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Builds are counted by the owner, and a later stay of a vshard goes on above all earlier ones.
func TestBuildsAreNumbered(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	s := open(t, o)
	tag := queryOne[[16]byte](t, o.Databases[0], `SELECT vshards_tag FROM identity`)
	numbers := make([]uint64, 40)
	var builds sync.WaitGroup
	for i := range numbers {
		builds.Go(func() {
			epoch, build, err := s.NextBuild(t.Context(), 3)
			if err == nil && epoch == 1 {
				numbers[i] = build
			}
		})
	}
	builds.Wait()
	slices.Sort(numbers)
	for i, n := range numbers {
		require.EqualValues(t, i+1, n)
	}
	require.Equal(t, tag, queryOne[[16]byte](t, o.Databases[0], `SELECT vshards_tag FROM identity`), "nobody need read the vshards again")

	execute(t, o.Databases[0], `UPDATE vshards SET state = 'MOVED', epoch = 2 WHERE vshard = 3`)
	_, _, err := s.NextBuild(t.Context(), 3)
	requireUnavailable(t, err)
	execute(t, o.Databases[1], `INSERT INTO vshards (vshard, state, epoch, move_id) VALUES (3, 'OWNED', 2, gen_random_uuid())`)
	require.Eventually(t, func() bool {
		epoch, build, err := s.NextBuild(context.Background(), 3)
		return err == nil && epoch == 2 && build == 1
	}, 10*time.Second, 10*time.Millisecond)
}
