package storagetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

func testBlockOwned(t *testing.T, r Replicas) {
	for n := range 4 {
		owner, h := r.account(t, n)
		h.Blocked = true
		require.Equal(t, h, r.block(t, n, h.Identifier))
		r.requireAccount(t, owner, h.Identifier)
		loud := identifier.Stored(identifier.Username, h.Identifier.Key(), h.Identifier.Canonical(), "X"+h.Identifier.Key()[1:])
		_, err := r.one(n).Rename(t.Context(), changing(owner, n%2 == 0), loud)
		require.NoError(t, err)
		r.requireAccount(t, owner, loud)
		h.Blocked, h.Identifier = false, loud
		require.Equal(t, h, *r.unblock(t, n, loud).Held)
	}
}

func testBlockFormer(t *testing.T, r Replicas) {
	for n := range 4 {
		owner, h := r.account(t, n)
		r.block(t, n, h.Identifier)
		to := freshName()
		renamed, err := r.one(n).Rename(t.Context(), changing(owner, n%2 == 0), to)
		require.NoError(t, err)
		require.Equal(t, storage.Protected, renamed.Former.State)
		r.requireState(t, h.Identifier, storage.Protected, owner)
		present, err := r.one(n).Redirect(t.Context(), h.Identifier)
		require.NoError(t, err)
		require.Equal(t, to, present.Identifier)

		_, err = r.one(n).Release(t.Context(), changing(owner, true), to)
		require.NoError(t, err)
		back := changing(owner, n%2 == 0)
		_, err = r.one(n).Rename(t.Context(), back, h.Identifier)
		requireBarred(t, err, h.Identifier)
		r.requireAccount(t, owner)
		r.unblock(t, n, h.Identifier)
		_, err = r.one(n).Rename(t.Context(), back, h.Identifier)
		require.NoError(t, err)
		r.requireAccount(t, owner, h.Identifier)
	}
}

func testBlockReleased(t *testing.T, r Replicas) {
	for n := range 4 {
		owner, h := r.account(t, n)
		mail := private(identifier.Email)
		r.give(t, n, owner, mail)
		r.block(t, n, h.Identifier)
		was := r.block(t, n+1, mail)
		list, err := r.one(n).Release(t.Context(), changing(owner, n%2 == 0))
		require.NoError(t, err)
		require.Len(t, list, 2)
		r.requireAccount(t, owner)
		r.requireState(t, h.Identifier, storage.Protected, owner)
		_, err = r.one(n).Rename(t.Context(), changing(owner, n%2 == 0), h.Identifier)
		requireBarred(t, err, h.Identifier)

		now, err := r.one(n).Reserve(t.Context(), request(hour, mail))
		require.Zero(t, now)
		requireBarred(t, err, mail)
		r.requireState(t, mail, storage.Released, "")
		standing, err := r.one(n).Lookup(t.Context(), mail)
		require.NoError(t, err)
		require.NotEqual(t, was.Grant, standing.Held.Grant)
		require.Nil(t, r.unblock(t, n, mail).Held)
		r.give(t, n, freshOwner(), mail)
	}
}

func testBlockReserved(t *testing.T, r Replicas) {
	for n := range 4 {
		req, owner := request(hour, freshName()), freshOwner()
		h := reserve(t, r.one(n), req)
		blocked := h
		blocked.Blocked = true
		require.Equal(t, blocked, r.block(t, n, h.Identifier))
		require.Equal(t, h, reserve(t, r.one(n+1), req), "a resend gets its outcome again")
		held, err := r.one(n).Reservation(t.Context(), req.Request)
		require.NoError(t, err)
		require.Equal(t, []storage.Holding{blocked}, held)
		c := changing(owner, n%2 == 0)
		_, err = r.one(n).Confirm(t.Context(), c, req.Request)
		requireLost(t, err, blocked)
		r.requireAccount(t, owner)
		require.Equal(t, h, *r.unblock(t, n, h.Identifier).Held)
		_, err = r.one(n).Confirm(t.Context(), c, req.Request)
		require.NoError(t, err)
		r.requireAccount(t, owner, h.Identifier)
	}
}

func testBlockCancelled(t *testing.T, r Replicas) {
	req := request(hour, freshName())
	h := reserve(t, r.A, req)
	r.block(t, 0, h.Identifier)
	freed, err := r.B.Cancel(t.Context(), req.Request)
	require.NoError(t, err)
	require.Len(t, freed, 1)
	r.requireState(t, h.Identifier, storage.Released, "")
	held, err := r.A.Reservation(t.Context(), req.Request)
	require.NoError(t, err)
	require.Empty(t, held)
	_, err = r.B.Cancel(t.Context(), req.Request)
	require.ErrorIs(t, err, storage.ErrNotFound)
	_, err = r.A.Reserve(t.Context(), request(hour, h.Identifier))
	requireBarred(t, err, h.Identifier)
	require.Nil(t, r.unblock(t, 1, h.Identifier).Held)
}
