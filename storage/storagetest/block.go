package storagetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

// order is an operator's.
func order(id identifier.Identifier) storage.Order {
	return storage.Order{Identifier: id, Actor: "operator", Note: "trademark"}
}

// block must change something, and say what is read afterwards.
func (r Replicas) block(t *testing.T, n int, id identifier.Identifier) storage.Holding {
	t.Helper()
	got, err := r.one(n).Block(t.Context(), order(id))
	require.NoError(t, err)
	require.True(t, got.Changed)
	require.True(t, got.Held.Blocked)
	require.Positive(t, got.Version.ID)
	r.requireStanding(t, id, got.Standing)
	return *got.Held
}

// unblock must succeed, and say what is read afterwards.
func (r Replicas) unblock(t *testing.T, n int, id identifier.Identifier) storage.Standing {
	t.Helper()
	got, err := r.one(n).Unblock(t.Context(), order(id))
	require.NoError(t, err)
	require.True(t, got.Held == nil || !got.Held.Blocked)
	r.requireStanding(t, id, got)
	_, err = r.one(n+1).Unblock(t.Context(), order(id))
	require.ErrorIs(t, err, storage.ErrNotBlocked)
	return got
}

// requireStanding reads the name from both stores, but for the time of the read.
func (r Replicas) requireStanding(t *testing.T, id identifier.Identifier, want storage.Standing) {
	t.Helper()
	require.NotZero(t, want.AsOf)
	for name, s := range r.both() {
		got, err := s.Lookup(t.Context(), id)
		require.NoError(t, err)
		got.AsOf = want.AsOf
		require.Equal(t, want, got, "%s by %s", id.Key(), name)
	}
}

// requireBarred says that a call was refused for a block.
func requireBarred(t *testing.T, err error, id identifier.Identifier) {
	t.Helper()
	var held *storage.HeldError
	require.ErrorAs(t, err, &held)
	require.Equal(t, id.Key(), held.Holding.Identifier.Key())
	require.True(t, held.Holding.Blocked)
}

func testBlock(t *testing.T, r Replicas) {
	for name, test := range map[string]func(*testing.T, Replicas){
		"what nobody has":                               testBlockFree,
		"twice is once":                                 testBlockTwice,
		"an account keeps what it has":                  testBlockOwned,
		"a name left by a rename is not to be had back": testBlockFormer,
		"what is given up stays, and nobody's":          testBlockReleased,
		"a reservation is not confirmed":                testBlockReserved,
		"a reservation is cancelled, and free for none": testBlockCancelled,
		"what has run out":                              testBlockElapsed,
		"one of several":                                testBlockSeveral,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, r)
		})
	}
}

func testBlockFree(t *testing.T, r Replicas) {
	for n, id := range []identifier.Identifier{freshName(), freshName(), private(identifier.Email), private(identifier.Phone)} {
		h := r.block(t, n, id)
		require.Equal(t, storage.Holding{Identifier: id, State: storage.Released, Grant: h.Grant, Blocked: true, Since: h.Since}, h)
		_, err := r.one(n).Reserve(t.Context(), request(hour, id))
		requireLost(t, err, h)
		if id.Kind() == identifier.Username {
			owner, own := r.account(t, n)
			_, err = r.one(n).Rename(t.Context(), changing(owner, n%2 == 0), id)
			requireLost(t, err, h)
			r.requireAccount(t, owner, own.Identifier)
			outcomes, err := r.one(n).Import(t.Context(), []storage.ImportLine{{Number: 1, Identifier: id, Owner: freshOwner()}})
			require.NoError(t, err)
			require.NotEmpty(t, outcomes[0].Refused)
		}
		require.Nil(t, r.unblock(t, n+1, id).Held)
		r.give(t, n, freshOwner(), id)
	}
}

func testBlockTwice(t *testing.T, r Replicas) {
	id := freshName()
	_, err := r.A.Unblock(t.Context(), order(id))
	require.ErrorIs(t, err, storage.ErrNotBlocked)
	r.requireFree(t, id)
	first := r.block(t, 0, id)
	again, err := r.B.Block(t.Context(), order(id))
	require.NoError(t, err)
	require.False(t, again.Changed)
	require.Equal(t, first, *again.Held)
	r.requireStanding(t, id, again.Standing)
}

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

func testBlockElapsed(t *testing.T, r Replicas) {
	for n := range 2 {
		req := request(elapsed, freshName())
		id := req.Candidates[0]
		reserve(t, r.one(n), req)
		r.block(t, n, id)
		_, err := r.one(n).Reserve(t.Context(), request(hour, id))
		requireBarred(t, err, id)
		held, err := r.one(n).Reservation(t.Context(), req.Request)
		require.NoError(t, err)
		require.Empty(t, held, "it has run out")
		_, err = r.one(n).Confirm(t.Context(), changing(freshOwner(), n == 0), req.Request)
		requireBarred(t, err, id)
		require.Nil(t, r.unblock(t, n+1, id).Held)
		r.give(t, n, freshOwner(), id)
	}
}

func testBlockSeveral(t *testing.T, r Replicas) {
	barred, other := freshName(), freshName()
	r.block(t, 0, barred)
	got, err := r.A.Reserve(t.Context(), request(hour, barred, other))
	require.NoError(t, err)
	require.Equal(t, other, got.Holding.Identifier)
	mail := private(identifier.Email)
	_, err = r.B.ReserveAll(t.Context(), request(hour, mail, barred))
	requireBarred(t, err, barred)
	r.requireFree(t, mail)
}
