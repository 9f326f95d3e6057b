package storagetest

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

func asError[E error](err error, into *E) bool { return errors.As(err, into) }

func testRename(t *testing.T, r Replicas) {
	t.Run("the account moves, and the former name is protected", func(t *testing.T) {
		t.Parallel()
		for n := range 8 {
			owner, h := r.account(t, n)
			to, c := freshName(), changing(owner, n%3 == 0)
			renamed, err := r.one(n).Rename(t.Context(), c, to)
			require.NoError(t, err)
			require.Equal(t, to, renamed.Holding.Identifier)
			require.Equal(t, storage.Active, renamed.Holding.State)
			require.Equal(t, h.Identifier, renamed.Former.Identifier)
			require.Equal(t, storage.Protected, renamed.Former.State)
			require.Equal(t, Terms.Protection, renamed.Former.ExpireAt.Sub(renamed.Former.Since))
			r.requireAccount(t, owner, to)
			r.requireState(t, to, storage.Active, owner)
			r.requireState(t, h.Identifier, storage.Protected, owner)
			_, err = r.B.Reserve(t.Context(), request(hour, h.Identifier))
			var held *storage.HeldError
			require.ErrorAs(t, err, &held)
			again, err := r.one(n+1).Rename(t.Context(), c, to)
			require.NoError(t, err)
			require.Equal(t, renamed, again)
			again, err = r.one(n).Rename(t.Context(), c, identifier.Identifier{})
			require.NoError(t, err)
			require.Equal(t, renamed, again)
			_, err = r.one(n).Rename(t.Context(), changing(owner, n%2 == 0), identifier.Identifier{})
			require.ErrorIs(t, err, storage.ErrNotFound)
			present, err := r.A.Redirect(t.Context(), h.Identifier)
			require.NoError(t, err)
			require.Equal(t, to, present.Identifier)
		}
	})
	t.Run("the first one is free, the next one too soon", func(t *testing.T) {
		t.Parallel()
		owner, h := r.account(t, 0)
		_, err := r.A.Rename(t.Context(), changing(owner, false), freshName())
		require.NoError(t, err)
		var tooSoon *storage.TooSoonError
		_, err = r.B.Rename(t.Context(), changing(owner, false), h.Identifier)
		require.ErrorAs(t, err, &tooSoon)
		require.False(t, tooSoon.AllowedAt.IsZero())
		r.requireState(t, h.Identifier, storage.Protected, owner)
	})
	t.Run("to a name that is held: nothing changes", func(t *testing.T) {
		t.Parallel()
		for n := range 6 {
			owner, h := r.account(t, n)
			other, taken := r.account(t, n+1)
			reserved := reserve(t, r.A, request(hour, freshName()))
			_, err := r.one(n).Rename(t.Context(), changing(owner, n%2 == 0), taken.Identifier)
			requireRefusedOrBusy(t, err, new(*storage.HeldError))
			_, err = r.one(n).Rename(t.Context(), changing(owner, n%2 == 0), reserved.Identifier)
			requireLost(t, err, reserved)
			r.requireAccount(t, owner, h.Identifier)
			r.requireState(t, h.Identifier, storage.Active, owner)
			r.requireAccount(t, other, taken.Identifier)
			r.requireHeld(t, reserved)
		}
	})
	t.Run("an account without a name has none to change", func(t *testing.T) {
		t.Parallel()
		to := freshName()
		_, err := r.A.Rename(t.Context(), changing(freshOwner(), true), to)
		require.ErrorIs(t, err, storage.ErrNotOwner)
		r.requireFree(t, to)
	})
	t.Run("another spelling changes the display only", func(t *testing.T) {
		t.Parallel()
		for n := range 4 {
			owner, h := r.account(t, n)
			key := h.Identifier.Key()
			loud := identifier.Stored(identifier.Username, key, key, "X"+key[1:])
			for range 2 { // it does not count as a rename
				renamed, err := r.one(n).Rename(t.Context(), changing(owner, false), loud)
				require.NoError(t, err)
				require.Nil(t, renamed.Former)
				require.Equal(t, loud, renamed.Holding.Identifier)
				require.Equal(t, h.Since, renamed.Holding.Since)
			}
			r.requireAccount(t, owner, loud)
			standing, err := r.B.Lookup(t.Context(), h.Identifier)
			require.NoError(t, err)
			require.Equal(t, loud.Display(), standing.Held.Identifier.Display())
			require.Equal(t, h.Grant, standing.Held.Grant)
		}
	})
	t.Run("one name for many accounts at once", func(t *testing.T) {
		t.Parallel()
		const callers = 8
		to := freshName()
		owners, former, errs := make([]string, callers), make([]storage.Holding, callers), make([]error, callers)
		for i := range callers {
			owners[i], former[i] = r.account(t, i)
		}
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() { _, errs[i] = r.one(i).Rename(t.Context(), changing(owners[i], i%3 == 0), to) })
		}
		all.Wait()
		won := 0
		for i, err := range errs {
			if err == nil {
				won++
				r.requireAccount(t, owners[i], to)
				r.requireState(t, to, storage.Active, owners[i])
				r.requireState(t, former[i].Identifier, storage.Protected, owners[i])
				continue
			}
			requireRefusedOrBusy(t, err, new(*storage.HeldError))
			r.requireAccount(t, owners[i], former[i].Identifier)
			r.requireState(t, former[i].Identifier, storage.Active, owners[i])
		}
		require.Equal(t, 1, won)
	})
	t.Run("many names for one account at once", func(t *testing.T) {
		t.Parallel()
		owner, h := r.account(t, 0)
		const callers = 8
		names, errs := make([]identifier.Identifier, callers), make([]error, callers)
		var all sync.WaitGroup
		for i := range callers {
			names[i] = freshName()
			all.Go(func() { _, errs[i] = r.one(i).Rename(t.Context(), changing(owner, i%3 == 0), names[i]) })
		}
		all.Wait()
		won := -1
		for i, err := range errs {
			if err == nil {
				require.Negative(t, won, "the cool-down lets one through")
				won = i
				continue
			}
			requireRefusedOrBusy(t, err, new(*storage.TooSoonError))
			r.requireFree(t, names[i])
		}
		require.GreaterOrEqual(t, won, 0)
		r.requireAccount(t, owner, names[won])
		r.requireState(t, h.Identifier, storage.Protected, owner)
	})
}
