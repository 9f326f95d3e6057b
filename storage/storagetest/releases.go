package storagetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

func testRelease(t *testing.T, r Replicas) {
	t.Run("a username is protected, and its owner may take it back", func(t *testing.T) {
		t.Parallel()
		for n := range 6 {
			owner, h := r.account(t, n)
			c := changing(owner, n%2 == 0)
			list, err := r.one(n).Release(t.Context(), c, h.Identifier)
			require.NoError(t, err)
			require.Len(t, list, 1)
			require.Equal(t, storage.Protected, list[0].State)
			again, err := r.one(n+1).Release(t.Context(), c, h.Identifier)
			require.NoError(t, err)
			require.Equal(t, list, again)
			r.requireAccount(t, owner)
			r.requireState(t, h.Identifier, storage.Protected, owner)
			_, err = r.A.Release(t.Context(), changing(owner, false), h.Identifier)
			require.ErrorIs(t, err, storage.ErrNotOwner)
			_, err = r.A.Rename(t.Context(), changing(freshOwner(), true), h.Identifier)
			require.ErrorIs(t, err, storage.ErrNotOwner)
			back, err := r.one(n).Rename(t.Context(), changing(owner, n%3 == 0), h.Identifier)
			require.NoError(t, err)
			require.Nil(t, back.Former)
			r.requireAccount(t, owner, h.Identifier)
			r.requireState(t, h.Identifier, storage.Active, owner)
		}
	})
	t.Run("a private one is free at once", func(t *testing.T) {
		t.Parallel()
		owner := freshOwner()
		mail := private(identifier.Email)
		r.give(t, 0, owner, mail)
		r.requireAccount(t, owner, mail)
		list, err := r.B.Release(t.Context(), changing(owner, true), mail)
		require.NoError(t, err)
		require.Equal(t, storage.Released, list[0].State)
		r.requireFree(t, mail)
		r.give(t, 1, freshOwner(), mail)
	})
	t.Run("another's is not one's own to release", func(t *testing.T) {
		t.Parallel()
		owner, h := r.account(t, 1)
		_, err := r.A.Release(t.Context(), changing(freshOwner(), true), h.Identifier)
		require.ErrorIs(t, err, storage.ErrNotOwner)
		r.requireState(t, h.Identifier, storage.Active, owner)
	})
	t.Run("all of an account", func(t *testing.T) {
		t.Parallel()
		owner, h := r.account(t, 0)
		mails := []identifier.Identifier{private(identifier.Email), private(identifier.Email), private(identifier.Phone)}
		for n, mail := range mails {
			r.give(t, n, owner, mail)
		}
		r.requireAccount(t, owner, append(mails, h.Identifier)...)
		c := changing(owner, true)
		list, err := r.A.Release(t.Context(), c)
		require.NoError(t, err)
		require.Len(t, list, 4)
		again, err := r.B.Release(t.Context(), c)
		require.NoError(t, err)
		require.Equal(t, list, again)
		r.requireAccount(t, owner)
		r.requireState(t, h.Identifier, storage.Protected, owner)
		for _, mail := range mails {
			r.requireFree(t, mail)
		}
		none, err := r.B.Release(t.Context(), changing(freshOwner(), true))
		require.NoError(t, err)
		require.Empty(t, none)
	})
}

func testSeveral(t *testing.T, r Replicas) {
	all := func() storage.ReserveRequest {
		return request(hour, freshName(), private(identifier.Email), private(identifier.Phone))
	}
	t.Run("all are reserved and confirmed together", func(t *testing.T) {
		t.Parallel()
		for n := range 6 {
			req, owner := all(), freshOwner()
			first, err := r.one(n).ReserveAll(t.Context(), req)
			require.NoError(t, err)
			require.Len(t, first.Holdings, 3)
			again, err := r.one(n+1).ReserveAll(t.Context(), req)
			require.NoError(t, err)
			require.Equal(t, first, again)
			list, err := r.one(n).Confirm(t.Context(), changing(owner, true), req.Request)
			require.NoError(t, err)
			require.Len(t, list, 3)
			r.requireAccount(t, owner, req.Candidates...)
		}
	})
	t.Run("without candidates only an earlier outcome is found", func(t *testing.T) {
		t.Parallel()
		req := all()
		none := again(req.Request, hour)
		_, err := r.A.ReserveAll(t.Context(), none)
		require.ErrorIs(t, err, storage.ErrNotFound)
		first, err := r.A.ReserveAll(t.Context(), req)
		require.NoError(t, err)
		none.Arguments = req.Arguments
		earlier, err := r.B.ReserveAll(t.Context(), none)
		require.NoError(t, err)
		require.Equal(t, first, earlier)
	})
	t.Run("or none", func(t *testing.T) {
		t.Parallel()
		for n := range 6 {
			req := all()
			taken := reserve(t, r.A, request(hour, req.Candidates[n%3]))
			_, err := r.one(n).ReserveAll(t.Context(), req)
			requireLost(t, err, taken)
			for i, id := range req.Candidates {
				if i != n%3 {
					r.requireFree(t, id)
				}
			}
		}
	})
	t.Run("all are cancelled together", func(t *testing.T) {
		t.Parallel()
		req := all()
		_, err := r.A.ReserveAll(t.Context(), req)
		require.NoError(t, err)
		freed, err := r.B.Cancel(t.Context(), req.Request)
		require.NoError(t, err)
		require.Len(t, freed, 3)
		for _, id := range req.Candidates {
			r.requireFree(t, id)
		}
	})
	t.Run("one that cannot be confirmed keeps all", func(t *testing.T) {
		t.Parallel()
		for n := range 4 {
			req, owner := all(), freshOwner()
			r.give(t, n, owner, private(identifier.Phone))
			_, err := r.one(n).ReserveAll(t.Context(), req)
			require.NoError(t, err)
			_, err = r.one(n).Confirm(t.Context(), changing(owner, true), req.Request)
			var limit *storage.LimitError
			require.ErrorAs(t, err, &limit)
			for _, id := range req.Candidates {
				r.requireState(t, id, storage.Reserved, "")
			}
		}
	})
}
