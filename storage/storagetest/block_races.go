package storagetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

// persistently blocks, again where a change is under way.
func (r Replicas) persistently(ctx context.Context, n int, id identifier.Identifier) (storage.Blocked, error) {
	for {
		got, err := r.one(n).Block(ctx, order(id))
		if !errors.As(err, new(*storage.OverloadedError)) {
			return got, err
		}
	}
}

// testBlockRaces has a block meet each sort of change. Whichever was first, the name is
// blocked in the end, and who has it is what was answered.
func testBlockRaces(t *testing.T, r Replicas) {
	for name, race := range map[string]func(*testing.T, Replicas, int){
		"a reserve of a free name":      func(t *testing.T, r Replicas, n int) { raceReserve(t, r, n, freshName()) },
		"a takeover":                    raceTakeover,
		"a confirm":                     raceConfirm,
		"a cancel":                      raceCancel,
		"a rename to it":                raceRenameTo,
		"a rename away":                 raceRenameAway,
		"an account that takes it back": raceReturn,
		"a release of an e-mail":        raceRelease,
		"other blocks and unblocks":     raceBlocks,
		"an unblock, and a release":     raceUnblock,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := range 12 {
				race(t, r, n)
			}
		})
	}
}

// beside blocks id while something else happens, and gives what the block saw.
func (r Replicas) beside(t *testing.T, n int, id identifier.Identifier, other func(storage.Store)) storage.Holding {
	t.Helper()
	var blocked storage.Blocked
	var err error
	var both sync.WaitGroup
	both.Go(func() { blocked, err = r.persistently(t.Context(), n, id) })
	both.Go(func() { other(r.one(n + 1 + n/2%2)) })
	both.Wait()
	require.NoError(t, err)
	require.True(t, blocked.Changed)
	now, err := r.A.Lookup(t.Context(), id)
	require.NoError(t, err)
	require.NotNil(t, now.Held)
	require.True(t, now.Held.Blocked)
	return *blocked.Held
}

func raceReserve(t *testing.T, r Replicas, n int, id identifier.Identifier) {
	req := request(hour, id)
	var got storage.Outcome
	var err error
	saw := r.beside(t, n, id, func(s storage.Store) { got, err = s.Reserve(t.Context(), req) })
	if err != nil {
		requireBarred(t, err, id)
		require.NotEqual(t, req.Request.ID, saw.Holder)
		return
	}
	require.Equal(t, got.Holding.Grant, saw.Grant)
	require.Equal(t, storage.Reserved, saw.State)
	require.Equal(t, got.Holding, reserve(t, r.one(n), req))
}

func raceTakeover(t *testing.T, r Replicas, n int) {
	id := freshName()
	reserve(t, r.A, request(elapsed, id))
	raceReserve(t, r, n, id)
}

func raceConfirm(t *testing.T, r Replicas, n int) {
	req, owner := request(hour, freshName()), freshOwner()
	id := req.Candidates[0]
	reserve(t, r.A, req)
	var err error
	saw := r.beside(t, n, id, func(s storage.Store) { _, err = s.Confirm(t.Context(), changing(owner, n%3 == 0), req.Request) })
	if err != nil {
		requireBarred(t, err, id)
		require.Equal(t, storage.Reserved, saw.State)
		r.requireAccount(t, owner)
		return
	}
	require.Equal(t, storage.Active, saw.State)
	r.requireAccount(t, owner, id)
	r.requireState(t, id, storage.Active, owner)
}

func raceCancel(t *testing.T, r Replicas, n int) {
	req := request(hour, freshName())
	reserve(t, r.A, req)
	var err error
	r.beside(t, n, req.Candidates[0], func(s storage.Store) { _, err = s.Cancel(t.Context(), req.Request) })
	require.NoError(t, err)
	r.requireState(t, req.Candidates[0], storage.Released, "")
}

func raceRenameTo(t *testing.T, r Replicas, n int) {
	owner, h := r.account(t, n)
	to := freshName()
	var err error
	saw := r.beside(t, n, to, func(s storage.Store) { _, err = s.Rename(t.Context(), changing(owner, n%3 == 0), to) })
	if err != nil {
		requireBarred(t, err, to)
		require.Equal(t, storage.Released, saw.State)
		r.requireAccount(t, owner, h.Identifier)
		return
	}
	require.Equal(t, storage.Active, saw.State)
	r.requireAccount(t, owner, to)
	r.requireState(t, to, storage.Active, owner)
}

func raceRenameAway(t *testing.T, r Replicas, n int) {
	owner, h := r.account(t, n)
	to := freshName()
	var err error
	r.beside(t, n, h.Identifier, func(s storage.Store) { _, err = s.Rename(t.Context(), changing(owner, n%3 == 0), to) })
	require.NoError(t, err, "an account may leave a name that is blocked")
	r.requireAccount(t, owner, to)
	r.requireState(t, h.Identifier, storage.Protected, owner)
}

func raceReturn(t *testing.T, r Replicas, n int) {
	owner, h := r.account(t, n)
	_, err := r.A.Release(t.Context(), changing(owner, true), h.Identifier)
	require.NoError(t, err)
	saw := r.beside(t, n, h.Identifier, func(s storage.Store) {
		_, err = s.Rename(t.Context(), changing(owner, n%3 == 0), h.Identifier)
	})
	if err != nil {
		requireBarred(t, err, h.Identifier)
		require.Equal(t, storage.Protected, saw.State)
		r.requireAccount(t, owner)
		return
	}
	r.requireAccount(t, owner, h.Identifier)
	r.requireState(t, h.Identifier, storage.Active, owner)
}

func raceRelease(t *testing.T, r Replicas, n int) {
	owner, mail := freshOwner(), private(identifier.Email)
	r.give(t, n, owner, mail)
	var err error
	r.beside(t, n, mail, func(s storage.Store) { _, err = s.Release(t.Context(), changing(owner, n%3 == 0), mail) })
	require.NoError(t, err)
	r.requireAccount(t, owner)
	r.requireState(t, mail, storage.Released, "")
}

// raceBlocks has blocks and unblocks of one name follow each other in some order.
func raceBlocks(t *testing.T, r Replicas, n int) {
	id := freshName()
	const callers = 6
	changed, errs := make([]bool, callers), make([]error, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			if i%2 == 0 {
				blocked, err := r.persistently(t.Context(), i/2, id)
				changed[i], errs[i] = blocked.Changed, err
				return
			}
			_, errs[i] = r.one(i/2).Unblock(t.Context(), order(id))
			changed[i] = errs[i] == nil
		})
	}
	all.Wait()
	balance := 0 // 1 when it is blocked in the end
	for i := range callers {
		switch {
		case i%2 == 0:
			require.NoError(t, errs[i])
		case errs[i] != nil:
			require.ErrorIs(t, errs[i], storage.ErrNotBlocked)
		}
		if changed[i] {
			balance += 1 - i%2*2
		}
	}
	now, err := r.one(n).Lookup(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, balance == 1, now.Held != nil)
	require.Contains(t, []int{0, 1}, balance)
}

// raceUnblock has an account give up what is unblocked: it is free in the end.
func raceUnblock(t *testing.T, r Replicas, n int) {
	owner, mail := freshOwner(), private(identifier.Email)
	r.give(t, n, owner, mail)
	r.block(t, n, mail)
	var released, unblocked error
	var both sync.WaitGroup
	both.Go(func() { _, released = r.one(n).Release(t.Context(), changing(owner, n%3 == 0), mail) })
	both.Go(func() { _, unblocked = r.one(n+1+n/2%2).Unblock(t.Context(), order(mail)) })
	both.Wait()
	require.NoError(t, released)
	require.NoError(t, unblocked)
	r.requireAccount(t, owner)
	r.requireFree(t, mail)
}
