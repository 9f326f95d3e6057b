package shard_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/bloomnet/shard"
)

// pauses is how many there are in a Check that says Free.
const pauses = 4

// checkWith checks a name, and has f done in the nth pause.
func (f *fixture) checkWith(name, n int, do func()) (shard.Standing, shard.Instant) {
	count := 0
	f.view.SetPaused(func() {
		if count++; count == n {
			f.view.SetPaused(nil)
			do()
		}
	})
	defer f.view.SetPaused(nil)
	standing, asOf := f.view.Check(0, named(name))
	require.GreaterOrEqual(f.t, count, n)
	return standing, asOf
}

// neverFreeAsOf requires that a check was not of the opinion that a name was free as of
// a time or later.
func neverFreeAsOf(t *testing.T, sent, asOf shard.Instant, standing shard.Standing) {
	t.Helper()
	require.False(t, standing == shard.Free && asOf.Boot >= sent.Boot, "free as of %v", asOf.Boot)
}

// A goroutine may be stopped anywhere, for any time.
func TestTheClockIsReadAfterTheBits(t *testing.T) {
	t.Parallel()
	for n := range pauses {
		f := atHome(t)
		standing, _ := f.checkWith(10, n+1, func() { f.pass(bound + 1) })
		require.Equal(t, shard.Unknown, standing, "pause %d", n+1)
	}
}

func TestTheBitsAreReadAfterTheTime(t *testing.T) {
	t.Parallel()
	for n := range pauses {
		f := atHome(t)
		var sent shard.Instant
		standing, asOf := f.checkWith(10, n+1, func() {
			f.poll(dbA, 11, 1, came(10, 1))
			sent = f.clock()
		})
		neverFreeAsOf(t, sent, asOf, standing)
	}
}

// What came after a new image is in no layer of the state before.
func TestTheStateIsReadAfterTheTime(t *testing.T) {
	t.Parallel()
	for n := range pauses {
		f := atHome(t)
		var sent shard.Instant
		standing, asOf := f.checkWith(10, n+1, func() {
			f.install(f.built(1, 2, dbA, 10))
			f.poll(dbA, 11, 1, came(10, 1))
			sent = f.clock()
		})
		neverFreeAsOf(t, sent, asOf, standing)
	}
}

// The time of a database says nothing of a shard that it has no longer, as the name has
// come elsewhere.
func TestTheTimeIsOfTheDatabaseThatVouches(t *testing.T) {
	t.Parallel()
	for n := range pauses {
		f := atHome(t)
		var sent shard.Instant
		standing, asOf := f.checkWith(10, n+1, func() {
			f.poll(dbA, 11, 0)
			sent = f.clock()
		})
		neverFreeAsOf(t, sent, asOf, standing)
	}
}

// Whatever a check sees in the middle of a poll, it is not free as of that poll.
func TestTheTimeIsShownAfterAllElse(t *testing.T) {
	t.Parallel()
	for _, p := range []struct {
		owned  uint64
		events []shard.Event
	}{
		{1, []shard.Event{came(10, 1)}},
		{1, []shard.Event{came(11, 1), came(12, 1), came(10, 1)}},
		{1, []shard.Event{came(10, 1), came(11, 1), came(12, 1)}},
		{0, nil}, // it has come elsewhere
	} {
		f := atHome(t)
		poll, checks := f.send(dbA, 20, p.owned, p.events...), 0
		check := func() {
			standing, asOf := f.view.Check(0, named(10))
			neverFreeAsOf(t, poll.Sent, asOf, standing)
			checks++
		}
		f.pass(time.Millisecond)
		f.view.SetPaused(inWriter(f, check))
		require.NoError(t, f.core.Polled(dbA, poll))
		f.view.SetPaused(nil)
		check()
		require.Greater(t, checks, 1)
	}
}

// inWriter is a hook that is called in pauses of the Core, not of the checks it makes.
func inWriter(f *fixture, do func()) func() {
	var hook func()
	hook = func() {
		f.view.SetPaused(nil)
		do()
		f.view.SetPaused(hook)
	}
	return hook
}

// A name that goes and comes again in one transaction is there all the time.
func TestNothingIsFreeBetweenTheEventsOfOneTransaction(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	f.poll(dbA, 11, 1, came(10, 1))
	f.view.SetPaused(inWriter(f, func() { f.is(shard.Maybe, 10) }))
	f.poll(dbA, 12, 1, went(10, 1), came(10, 1))
	f.poll(dbA, 13, 1, went(10, 1), came(10, 1), altered(10, 1))
}

func TestAgeIsTheLongerByEitherClock(t *testing.T) {
	t.Parallel()
	standsStill, setBack := atHome(t), atHome(t)
	standsStill.wall = standsStill.wall.Add(bound + 1)
	standsStill.is(shard.Unknown, 10)
	setBack.pass(bound + 1)
	setBack.wall = setBack.wall.Add(-time.Hour)
	setBack.is(shard.Unknown, 10)
}

func TestFreeUpToTheBound(t *testing.T) {
	t.Parallel()
	f := atHome(t)
	sent := f.clock()
	f.pass(bound)
	standing, asOf := f.view.Check(0, named(10))
	require.Equal(t, shard.Free, standing)
	require.Equal(t, sent, asOf)
	require.True(t, f.view.Vouched(0))
	f.pass(1)
	f.is(shard.Unknown, 10)
	f.is(shard.Maybe, 0)
	require.False(t, f.view.Vouched(0))
}
