package postgres_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

// endings are how another replica may meet what a dead one left. Each brings it to
// an end, done or undone; "done" when it must be the former.
var endings = map[string]struct {
	meet func(*testing.T, *world, broken)
	done bool
}{
	"the request is sent again": {func(t *testing.T, w *world, b broken) {
		first, err := b.send(b.change)(limited(t), w.other)
		require.NoError(t, err)
		again, err := b.send(b.change)(limited(t), w.other)
		require.NoError(t, err)
		require.Equal(t, first, again)
	}, true},
	"another request asks for the same": {func(t *testing.T, w *world, b broken) {
		_, err := b.send(userChange(b.change.Owner))(limited(t), w.other)
		if !errors.Is(err, storage.ErrNotOwner) { // it was released already
			require.NoError(t, err)
		}
	}, true},
	"a stranger wants to reserve": {func(*testing.T, *world, broken) {}, false}, // as settle does
	"a stranger wants to be renamed to it": {func(t *testing.T, w *world, b broken) {
		for _, id := range b.takes {
			stranger := accountIn(1)
			w.give(t, stranger, nameIn(0))
			_, err := w.other.Rename(limited(t), userChange(stranger), id)
			if before := b.before[id]; err == nil {
				require.Zero(t, before, "it was not to be had")
				b.before[id] = owns(storage.Active, stranger, id)
			} else {
				require.ErrorAs(t, err, new(*storage.HeldError))
			}
		}
	}, false},
}

// The executor of a saga dies after each of its writes. Whoever meets what it left
// brings that to one end, done everywhere or undone everywhere; and so it stays
// when the executor wakes up and goes on. The deaths of one saga follow one another,
// as what is left in the end is looked for in whole databases.
func TestSagasThatBreakOffAtEachWrite(t *testing.T) {
	t.Parallel()
	t.Run("on one database", func(t *testing.T) {
		t.Parallel()
		b := newBases(t, 1)
		for saga := range sagas {
			breakOffEach(t, b, saga, 1)
		}
	})
	for saga := range sagas {
		t.Run(saga+" on two databases", func(t *testing.T) {
			t.Parallel()
			breakOffEach(t, newBases(t, 2), saga, 4) // begin, decide, carry, clear
		})
	}
}

// breakOffEach breaks a saga, of so many writes at least, off after each, in each way.
func breakOffEach(t *testing.T, b *bases, saga string, least int) {
	t.Helper()
	for ending := range endings {
		n := 1
		for breakOff(t, b.world(t), saga, n, ending) {
			n++
		}
		require.Greater(t, n, least)
	}
}

// breakOff breaks a saga off after n writes; false when it has not as many.
func breakOff(t *testing.T, w *world, saga string, n int, ending string) bool {
	t.Helper()
	defer w.close()
	b := sagas[saga](t, w)
	answered := w.begin(t, n, b.send(b.change))
	if w.stop.stopped.Load() {
		w.age(t)
		endings[ending].meet(t, w, b)
		w.settle(t, []string{b.change.Owner}, b.takes...)
		requireEnd(t, w, b, endings[ending].done, step(saga, n, ending))
	}
	w.stop.goOn()
	late := <-answered
	w.executor.Close() // when its last steps are done
	w.settle(t, []string{b.change.Owner}, b.takes...)
	done := endings[ending].done || late.err == nil
	requireEnd(t, w, b, done, step(saga, n, ending)+", and the executor went on")
	if late.err == nil {
		again, err := b.send(b.change)(limited(t), w.other)
		require.NoError(t, err)
		require.Equal(t, late.answer, again)
	}
	return w.stop.made()
}

// requireEnd says that a saga is seen done, or undone unless it must be done, and
// that nothing is left of it.
func requireEnd(t *testing.T, w *world, b broken, done bool, when string) {
	t.Helper()
	seen := map[identifier.Identifier]standing{}
	for id := range b.after {
		seen[id] = w.standing(t, id)
	}
	want := b.after
	if !done && maps.Equal(seen, b.before) {
		want = b.before
	}
	require.Equal(t, want, seen, when)
	has := map[identifier.Identifier]bool{}
	for id, s := range want {
		if s.state == storage.Active && s.owner == b.change.Owner {
			has[identifier.Stored(id.Kind(), id.Key(), "", "")] = true
		}
	}
	require.Equal(t, has, w.has(t, b.change.Owner), when)
	w.requireConsistent(t)
}
