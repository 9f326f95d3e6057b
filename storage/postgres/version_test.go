package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/feed"
	"namegate/storage/identifier"
)

// After each change a read has a version below that of the change in the feed, and above
// that of the change before.
func TestVersionsOrderReadsAndChanges(t *testing.T) {
	t.Parallel()
	w := newBases(t, 1).world(t)
	f := follow(t, w.other.Feeds(time.Now)[0])
	name, owner, req := nameIn(0), accountIn(0), request(nameIn(0))
	req.Candidates = []identifier.Identifier{name}
	_, err := w.other.Reserve(t.Context(), req)
	require.NoError(t, err)
	last := w.requireOrder(t, f, name, storage.Version{})
	_, err = w.other.Confirm(t.Context(), userChange(owner), req.Request)
	require.NoError(t, err)
	last = w.requireOrder(t, f, name, last)
	w.rename(t, owner, nameIn(1))
	last = w.requireOrder(t, f, name, last)
	w.rename(t, owner, name)
	last = w.requireOrder(t, f, name, last)
	w.age(t)
	w.execute(t, `UPDATE holdings SET state = 1, expire_at = now() - interval '1 s', owner = NULL WHERE key = $1`, name.Key())
	_, err = w.other.Reserve(t.Context(), request(name))
	require.NoError(t, err)
	w.requireOrder(t, f, name, last)
}

// Blocks, and what is given up while it is blocked, are changes as any other.
func TestVersionsOrderBlocks(t *testing.T) {
	t.Parallel()
	w := newBases(t, 1).world(t)
	f := follow(t, w.other.Feeds(time.Now)[0])
	owner, name, mail := accountIn(0), nameIn(0), privateIn(0, identifier.Email)
	last := map[identifier.Identifier]storage.Version{}
	told := func(id identifier.Identifier) { last[id] = w.requireOrder(t, f, id, last[id]) }
	for _, id := range []identifier.Identifier{name, mail} {
		block(t, w.other, id)
		told(id)
		unblock(t, w.other, id)
		w.give(t, owner, id)
		told(id)
		for range 2 {
			block(t, w.other, id)
			told(id)
			unblock(t, w.other, id)
			told(id)
		}
		block(t, w.other, id)
		told(id)
		_, err := w.other.Release(t.Context(), userChange(owner), id)
		require.NoError(t, err)
		told(id)
	}
	req := request(nameIn(0))
	_, err := w.other.Reserve(t.Context(), req)
	require.NoError(t, err)
	block(t, w.other, req.Candidates[0])
	told(req.Candidates[0])
	_, err = w.other.Cancel(t.Context(), req.Request)
	require.NoError(t, err)
	told(req.Candidates[0])
}

// requireOrder gives the version of the newest change of a name.
func (w *world) requireOrder(t *testing.T, f *follower, name identifier.Identifier, last storage.Version) storage.Version {
	t.Helper()
	read, err := w.other.Lookup(t.Context(), name)
	require.NoError(t, err)
	require.NotNil(t, read.Held)
	require.NoError(t, f.poll(t.Context(), w.other.Feeds(time.Now)[0]))
	var change *feed.Event
	for _, e := range f.read {
		if e.Key == name.Key() {
			change = &e
		}
	}
	require.Equal(t, 1, change.Version().Compare(last), "there is a newer change")
	require.Equal(t, 1, read.Version.Compare(last), "the read is newer than the change before")
	require.Equal(t, -1, read.Version.Compare(change.Version()), "and says that it has the newest")
	return change.Version()
}
