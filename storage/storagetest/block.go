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
