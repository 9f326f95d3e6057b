package shard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/shard"
)

func TestPollsThatDoNotFollow(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	earlier := f.send(dbA, 10, 1)
	f.poll(dbA, 10, 0) // moved, without a change
	for name, change := range map[string]func(*shard.Poll){
		"from later":      func(p *shard.Poll) { p.From.At = 11 },
		"from before":     func(p *shard.Poll) { p.From.At = 9 },
		"another history": func(p *shard.Poll) { p.From.Source, p.To.Source = "X", "X" },
		"leads elsewhere": func(p *shard.Poll) { p.To.Source = "X" },
		"leads back":      func(p *shard.Poll) { p.To.At = 9 },
		"sent before":     func(p *shard.Poll) { *p = earlier },
	} {
		p := f.send(dbA, 12, 1, came(10, 1))
		change(&p)
		require.ErrorIs(t, f.core.Polled(dbA, p), shard.ErrStale, name)
		at, _ := f.core.Position(dbA)
		require.Equal(t, f.at(dbA, 10), at, name)
		f.is(shard.Unknown, 10)
	}
	require.ErrorIs(t, empty(t).core.Polled(dbA, shard.Poll{}), shard.ErrStale)
}

// Nil says that nothing has changed; there must be something that has not.
func TestWhatIsOwnedIsToldFirst(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	p := f.send(dbA, 11, 0)
	p.Owned = nil
	require.NoError(t, f.core.Polled(dbA, p))
	f.is(shard.Free, 10)
	f.begin(dbA, 20)
	p = f.send(dbA, 21, 0)
	p.Owned = nil
	require.ErrorIs(t, f.core.Polled(dbA, p), shard.ErrStale)
}

func TestAVoidPositionForgets(t *testing.T) {
	t.Parallel()
	f := atHome(t) // name 10 comes, and is trimmed
	f.begin(dbA, 20)
	f.is(shard.Unknown, 10)
	f.poll(dbA, 21, 1)
	f.is(shard.Unknown, 10)
	require.True(t, f.missing(dbA))
	require.ErrorIs(t, f.core.Install(0, f.built(1, 2, dbA, 15)), shard.ErrEarly)
	f.install(f.built(1, 2, dbA, 20, 10))
	f.is(shard.Unknown, 11)
	f.poll(dbA, 21, 1)
	f.is(shard.Maybe, 10)
	f.is(shard.Free, 11)
}

func TestNamesComeAndGo(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.poll(dbA, 11, 1, came(10, 1), reserved(11, 1))
	f.is(shard.Maybe, 10)
	require.Equal(t, uint64(1), f.core.Survey(dbA)[0].Lasting)
	f.poll(dbA, 12, 1, altered(11, 1))
	require.Equal(t, uint64(2), f.core.Survey(dbA)[0].Lasting)
	f.poll(dbA, 13, 1, went(10, 1), went(11, 1), went(0, 1))
	f.is(shard.Free, 10)
	f.is(shard.Free, 11)
	f.is(shard.Maybe, 0) // until the next base
	survey := f.core.Survey(dbA)[0]
	require.Equal(t, []uint64{10, 1, 0}, []uint64{survey.Names, survey.Dead, survey.Lasting})
	f.poll(dbA, 14, 1, came(10, 1))
	f.is(shard.Maybe, 10)
}

// What a base has, recent need not have, but for what comes anew.
func TestOnlyWhatABaseLacksIsRecent(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.poll(dbA, 11, 1, altered(0, 1))
	require.Empty(t, f.image().Recent)
	f.poll(dbA, 12, 1, went(0, 1))
	f.poll(dbA, 13, 1, came(0, 1), altered(0, 1))
	require.Len(t, f.image().Recent, 1)
	f.poll(dbA, 14, 1, altered(10, 1))
	f.is(shard.Maybe, 10)
}

func TestMissed(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.core.Watch(0)
	f.poll(dbA, 12, 1, came(10, 1), came(11, 1), came(13, 1))
	f.poll(dbA, 13, 1, went(10, 1), went(11, 1))
	f.poll(dbA, 14, 1, came(11, 1))
	table := namesOf(0, 10, 11, 12, 13)
	_, err := f.core.Missed(0, dbA, f.at(dbA, 15), table)
	require.ErrorIs(t, err, shard.ErrEarly)
	_, err = f.core.Missed(0, dbB, f.at(dbB, 10), table)
	require.ErrorIs(t, err, shard.ErrEarly)
	f.install(f.built(1, 2, dbA, 13)) // a wrong one: name 13 is there
	missed, err := f.core.Missed(0, dbA, f.at(dbA, 12), table)
	require.NoError(t, err)
	require.Equal(t, namesOf(12, 13), missed)
	_, err = f.core.Missed(0, dbA, f.at(dbA, 12), table)
	require.ErrorIs(t, err, shard.ErrUnwatched)
}

// What went between two readings of a feed is not known to have gone.
func TestANewReadingEndsAWatch(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	for _, end := range []func(){func() { f.begin(dbC, 50) }, func() { f.core.Unwatch(0) }} {
		f.core.Watch(0)
		f.poll(dbA, 12, 1)
		end()
		_, err := f.core.Missed(0, dbA, f.at(dbA, 12), namesOf(10))
		require.ErrorIs(t, err, shard.ErrUnwatched)
	}
}

// A removal is not undone by an add of an earlier epoch that is told late.
func TestWhatCameBeforeItWentIsNotMissed(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.core.Watch(0)
	f.poll(dbB, 12, 2, went(10, 2))
	f.poll(dbA, 12, 0, came(10, 1))
	f.poll(dbC, 12, 0)
	f.poll(dbB, 13, 2)
	f.install(f.built(2, 1, dbB, 13))
	missed, err := f.core.Missed(0, dbB, f.at(dbB, 11), namesOf(10))
	require.NoError(t, err)
	require.Empty(t, missed)
}

// What went and came again ought to be there.
func TestWhatCameAgainIsMissed(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.core.Watch(0)
	f.poll(dbA, 12, 1, came(10, 1))
	f.poll(dbA, 13, 1, went(10, 1))
	f.poll(dbA, 14, 1, came(10, 1))
	f.install(f.built(1, 2, dbA, 14)) // a wrong one
	missed, err := f.core.Missed(0, dbA, f.at(dbA, 14), namesOf(10))
	require.NoError(t, err)
	require.Equal(t, namesOf(10), missed)
}

// An image that is ahead lacks names whose end the replica has yet to read.
func TestNothingIsMissedBehindAnImage(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.core.Watch(0)
	f.install(f.built(1, 2, dbA, 20)) // name 10 was there at 12, and went
	f.poll(dbA, 12, 1, came(11, 1))
	_, err := f.core.Missed(0, dbA, f.at(dbA, 12), namesOf(10))
	require.ErrorIs(t, err, shard.ErrEarly)
	f.poll(dbA, 20, 1, went(10, 1), went(11, 1))
	missed, err := f.core.Missed(0, dbA, f.at(dbA, 12), namesOf(10))
	require.NoError(t, err)
	require.Empty(t, missed)
}
