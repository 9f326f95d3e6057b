package bloomnet_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/shard"
)

// settled is longer than it takes a replica to read and build what a test has.
const settled = 5 * time.Second

// In a bubble, sleep is the passing of its own time.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestAReplicaVouchesOnceItHasTheTable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDatabase("a")
		d.put(false, "ada")
		d.put(true, "bob")
		n := start(t, d)
		require.Equal(t, shard.Unknown, standing(n, "carol"), "it knows nothing yet")
		pass(settled)
		require.Equal(t, shard.Maybe, standing(n, "ada"))
		require.Equal(t, shard.Maybe, standing(n, "bob"))
		require.Equal(t, shard.Free, standing(n, "carol"))
	})
}

func TestTheFeedIsFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDatabase("a")
		n := start(t, d)
		pass(settled)
		d.put(true, "ada")
		pass(time.Second)
		require.Equal(t, shard.Maybe, standing(n, "ada"))
		d.remove("ada")
		pass(time.Second)
		require.Equal(t, shard.Free, standing(n, "ada"))
	})
}

func TestAnAnswerSaysAsOfWhen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDatabase("a")
		n := start(t, d)
		pass(settled)
		d.fail(errAway)
		pass(time.Second)
		s, asOf := n.Check(0, hasher.Sum("ada"))
		require.Equal(t, shard.Free, s)
		require.WithinDuration(t, time.Now().Add(-time.Second), asOf.Wall, 400*time.Millisecond)
	})
}

// One database is away: its shards are vouched for until the bound, those of others for
// ever; and again when it is back.
func TestASilentDatabaseIsNotVouchedForBeyondTheBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := newFakeDatabase("a"), newFakeDatabase("b")
		for i := range shards {
			if i%2 == 0 {
				a.owned[i] = 0
			} else {
				b.owned[i] = 0
			}
		}
		n := start(t, a, b)
		pass(settled)
		require.True(t, n.Vouched(0) && n.Vouched(1))
		a.fail(errAway)
		pass(staleness - time.Second)
		require.True(t, n.Vouched(1), "within the bound")
		pass(2 * time.Second)
		require.False(t, n.Vouched(1))
		require.True(t, n.Vouched(0))
		a.fail(nil)
		pass(time.Second)
		require.True(t, n.Vouched(1))
	})
}

func TestAVoidPositionBuildsAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDatabase("a")
		n := start(t, d)
		pass(settled)
		d.plant("ada")
		d.restore()
		pass(settled)
		require.Equal(t, shard.Maybe, standing(n, "ada"))
		require.Equal(t, shard.Free, standing(n, "bob"))
	})
}

// Bases take in what has come, without another look at the table, and what is dead leaves
// them by one.
func TestBasesAreFoldedAndBuiltAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDatabase("a")
		for i := range 1000 {
			d.put(false, fmt.Sprintf("old%d.0", i))
		}
		n := start(t, d)
		pass(settled)
		copies := d.counts()
		for i := range 300 {
			d.put(false, fmt.Sprintf("name%d.0", i))
		}
		pass(settled)
		require.Equal(t, copies, d.counts(), "the table is not read for a fold")
		require.EqualValues(t, 2, d.buildOf(shardOf("0")))
		require.Equal(t, shard.Maybe, standing(n, "name7.0"))
		for i := range 299 {
			d.remove(fmt.Sprintf("name%d.0", i))
		}
		pass(settled)
		require.Greater(t, d.counts(), copies)
		for i := range 299 {
			require.Equal(t, shard.Free, standing(n, fmt.Sprintf("name%d.0", i)))
		}
		require.Equal(t, shard.Maybe, standing(n, "name299.0"))
	})
}

func TestAHintIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDatabase("a")
		n := start(t, d)
		pass(settled)
		n.Hint(hasher.Sum("ada"))
		require.Equal(t, shard.Maybe, standing(n, "ada"))
		pass(29 * time.Second)
		require.Equal(t, shard.Maybe, standing(n, "ada"), "a long transaction may hold it")
		pass(time.Minute)
		require.Equal(t, shard.Free, standing(n, "ada"), "it was never committed")
	})
}

// It is not parallel, as what others allocate would count.
func TestACheckAllocatesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFakeDatabase("a")
		d.put(false, "ada")
		n := start(t, d)
		pass(settled)
		for name, want := range map[string]shard.Standing{"ada": shard.Maybe, "bob": shard.Free} {
			require.Equal(t, want, standing(n, name))
			require.Zero(t, testing.AllocsPerRun(100, func() { standing(n, name) }), name)
		}
	})
}
