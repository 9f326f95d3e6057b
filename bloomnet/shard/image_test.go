package shard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/shard"
)

func TestImagesThatAreRefused(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	other := f.built(1, 2, dbA, 20)
	other.AsOf.Source = "another"
	unknown := f.built(1, 2, dbA, 20)
	unknown.Database = 3
	for name, c := range map[string]struct {
		image shard.Image
		want  error
	}{
		"the same build":       {f.built(1, 1, dbA, 20), shard.ErrOlder},
		"an earlier build":     {f.built(1, 0, dbA, 20), shard.ErrOlder},
		"before the reading":   {f.built(1, 2, dbA, 9), shard.ErrEarly},
		"an earlier epoch":     {f.built(0, 2, dbA, 20), shard.ErrForeign},
		"a later epoch":        {f.built(2, 2, dbA, 20), shard.ErrForeign},
		"another database":     {f.built(1, 2, dbB, 20), shard.ErrForeign},
		"a database too many":  {unknown, shard.ErrForeign},
		"another history":      {other, shard.ErrForeign},
		"nobody's, at epoch 0": {f.built(0, 9, dbB, 20), shard.ErrForeign},
	} {
		require.ErrorIs(t, f.core.Install(0, c.image), c.want, name)
	}
	require.ErrorIs(t, f.core.Install(1, f.built(1, 2, dbA, 20)), shard.ErrForeign)
	f.is(shard.Free, 10)
}

// The new base is as of a position that the replica has passed.
func TestAnImageKeepsWhatCameSince(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.poll(dbA, 20, 1, came(10, 1), reserved(11, 1))
	f.install(f.built(1, 2, dbA, 15))
	f.is(shard.Maybe, 10)
	f.is(shard.Maybe, 11)
	f.is(shard.Maybe, 0)
	f.is(shard.Free, 12)
}

// What the image covers is dropped, and so leaves in the end: this replica has missed
// that it went.
func TestAnImageTakesTheOldAway(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.poll(dbA, 20, 1, came(10, 1), reserved(11, 1), reserved(12, 1))
	f.install(f.built(1, 2, dbA, 20, 12))
	f.is(shard.Free, 10)
	f.is(shard.Free, 11)
	f.is(shard.Maybe, 12)
}

// Recent names went with the image that covers them; another one must cover them too.
func TestAnImageIsNotAsOfBeforeTheLastOne(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.poll(dbA, 20, 1, came(10, 1))
	f.install(f.image().Fold(2))
	require.Empty(t, f.image().Recent)
	require.ErrorIs(t, f.core.Install(0, f.built(1, 3, dbA, 15)), shard.ErrEarly)
	f.install(f.built(1, 3, dbA, 20, 10))
	f.is(shard.Maybe, 10)
}

// After another history has begun, its positions start where they like.
func TestPositionsOfAnotherHistoryAreNotCompared(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.sources[dbA] = "A restored"
	f.begin(dbA, 5)
	f.poll(dbA, 5, 1)
	f.install(f.built(1, 2, dbA, 5))
	f.poll(dbA, 6, 1)
	f.is(shard.Free, 10)
}

func TestReservedNamesStayOutOfBasesAndAreFound(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.install(f.built(1, 2, dbA, 11, 10))
	f.is(shard.Maybe, 10)
	f.poll(dbA, 11, 1)
	folded := f.image().Fold(3)
	require.False(t, folded.Base.Has(named(10)))
	f.install(folded)
	f.is(shard.Maybe, 10)
	f.poll(dbA, 12, 1, went(10, 1))
	f.is(shard.Free, 10)
}

func TestFold(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.poll(dbA, 20, 1, came(10, 1), reserved(11, 1), reserved(12, 1))
	f.poll(dbA, 21, 1, altered(12, 1), went(0, 1))
	before := f.image()
	m := before.Fold(2)
	require.False(t, before.Base.Has(named(10)), "a base is immutable")
	require.Equal(t, shard.Head{Epoch: 1, Build: 2, Database: dbA, At: f.at(dbA, 21)}, m.Head)
	require.Equal(t, []uint64{12, 1}, []uint64{m.Names, m.Dead})
	require.True(t, m.Base.Has(named(10)) && m.Base.Has(named(12)))
	require.Len(t, m.Recent, 1)
	f.install(m)
	require.Equal(t, []shard.Survey{{Epoch: 1, Head: m.Head, Names: 12, Dead: 1, Capacity: m.Base.Capacity()}}, f.core.Survey(dbA))
}

// A name that is in the base, as one that went or by mistake, and is reserved and then
// confirmed, does not stay in the recent layer for ever.
func TestAFoldTakesInWhatIsReservedNoMore(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.poll(dbA, 20, 1, went(0, 1))
	f.poll(dbA, 21, 1, reserved(0, 1))
	require.Len(t, f.image().Fold(2).Recent, 1)
	f.poll(dbA, 22, 1, altered(0, 1))
	require.Empty(t, f.image().Fold(2).Recent)
	f.is(shard.Maybe, 0)
}

// An image may be ahead of the replica, which then reads again what it has.
func TestAnImageAheadOfTheReplica(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.install(f.built(1, 2, dbA, 30, 10))
	f.is(shard.Maybe, 10)
	f.poll(dbA, 20, 1, reserved(10, 1), went(10, 1), came(11, 1))
	f.is(shard.Maybe, 11)
	f.poll(dbA, 30, 1, reserved(10, 1))
	f.is(shard.Maybe, 10)
}

// Names of a database that is read on are kept when the image is forgotten on account of
// another: a peer's image may be as of before they came.
func TestRecentNamesOutliveAForgottenImage(t *testing.T) {
	t.Parallel()
	f, peer := atHome(t), atHome(t)
	peer.move()
	old := peer.image()
	f.poll(dbB, 20, 2, came(10, 2))
	f.begin(dbA, 30)
	require.ErrorIs(t, second(f.core.Image(0)), shard.ErrForeign)
	require.True(t, f.missing(dbB))
	f.install(old)
	f.poll(dbB, 20, 2)
	f.is(shard.Maybe, 10)
	f.is(shard.Free, 11)
}

func second[T any](_ T, err error) error { return err }

// An image of the time before a move lacks what came after it.
func TestAnImageOfTheFormerStay(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	former := f.built(1, 2, dbA, 11)
	f.move(came(10, 1))
	f.install(f.built(2, 1, dbB, 11, 10))
	require.ErrorIs(t, f.core.Install(0, former), shard.ErrForeign)
	f.is(shard.Maybe, 10)
}
