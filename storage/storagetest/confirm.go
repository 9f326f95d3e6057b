package storagetest

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

func testConfirm(t *testing.T, r Replicas) {
	t.Run("a reservation becomes the account's", func(t *testing.T) {
		t.Parallel()
		for n := range 8 {
			owner, h := r.account(t, n)
			require.Equal(t, storage.Active, h.State)
			require.Zero(t, h.ExpireAt)
			r.requireState(t, h.Identifier, storage.Active, owner)
			r.requireAccount(t, owner, h.Identifier)
			_, err := r.one(n).Reserve(t.Context(), request(hour, h.Identifier))
			var held *storage.HeldError
			require.ErrorAs(t, err, &held)
			require.Equal(t, storage.Active, held.Holding.State)
		}
	})
	t.Run("the same request gets the same answer", func(t *testing.T) {
		t.Parallel()
		for n := range 8 {
			owner, name := freshOwner(), freshName()
			req, c := request(hour, name), changing(freshOwner(), n%2 == 0)
			c.Owner = owner
			if n%2 == 1 {
				c = changing(owner, false)
			}
			reserve(t, r.A, req)
			first, err := r.A.Confirm(t.Context(), c, req.Request)
			require.NoError(t, err)
			for range 3 {
				again, err := r.one(n).Confirm(t.Context(), c, req.Request)
				require.NoError(t, err)
				require.Equal(t, first, again)
			}
			c.Arguments = storage.HashArguments("change", "others")
			_, err = r.B.Confirm(t.Context(), c, req.Request)
			require.ErrorIs(t, err, storage.ErrRequestConflict)
		}
	})
	t.Run("one request id is one request, whatever it asks for", func(t *testing.T) {
		t.Parallel()
		for n := range 4 {
			owner, h := r.account(t, n)
			c, other := changing(owner, n%2 == 0), freshName()
			reserveAs := again(c.Request, hour, other)
			_, err := r.A.Rename(t.Context(), c, freshName())
			require.NoError(t, err)
			_, err = r.B.Reserve(t.Context(), reserveAs)
			require.ErrorIs(t, err, storage.ErrRequestConflict)
			r.requireFree(t, other)
			another := c
			another.Owner = freshOwner()
			another.Arguments = storage.HashArguments("change", another.Owner)
			if n%2 == 0 { // a back end that means another account
				_, err = r.B.Release(t.Context(), another)
				require.ErrorIs(t, err, storage.ErrRequestConflict)
			}

			reserved := again(changing(owner, n%2 == 0).Request, hour, freshName())
			reserve(t, r.A, reserved)
			c.Request = reserved.Request
			_, err = r.B.Release(t.Context(), c)
			require.ErrorIs(t, err, storage.ErrRequestConflict)
			r.requireState(t, h.Identifier, storage.Protected, owner)
		}
	})
	t.Run("what ran out is taken anew, unless it is another's", func(t *testing.T) {
		t.Parallel()
		for n := range 4 {
			owner, name, req := freshOwner(), freshName(), request(elapsed)
			req.Candidates = []identifier.Identifier{name}
			reserve(t, r.A, req)
			list, err := r.B.Confirm(t.Context(), changing(owner, n%2 == 0), req.Request)
			require.NoError(t, err)
			require.Equal(t, name, list[0].Identifier)
			r.requireState(t, name, storage.Active, owner)

			lost, over := freshName(), request(elapsed)
			over.Candidates = []identifier.Identifier{lost}
			reserve(t, r.A, over)
			other := reserve(t, r.B, request(hour, lost))
			loser := freshOwner()
			_, err = r.A.Confirm(t.Context(), changing(loser, n%2 == 0), over.Request)
			requireLost(t, err, other)
			r.requireAccount(t, loser)
			r.requireHeld(t, other)
		}
	})
	t.Run("one that never was, or was cancelled, is not found", func(t *testing.T) {
		t.Parallel()
		req := request(hour, freshName())
		for _, service := range []bool{true, false} {
			_, err := r.A.Confirm(t.Context(), changing(freshOwner(), service), req.Request)
			require.ErrorIs(t, err, storage.ErrNotFound)
		}
		reserve(t, r.A, req)
		_, err := r.B.Cancel(t.Context(), req.Request)
		require.NoError(t, err)
		_, err = r.A.Confirm(t.Context(), changing(freshOwner(), true), req.Request)
		require.ErrorIs(t, err, storage.ErrNotFound)
		r.requireFree(t, req.Candidates[0])
	})
	t.Run("no more than the limit", func(t *testing.T) {
		t.Parallel()
		owner, h := r.account(t, 0)
		req := request(hour, freshName())
		kept := reserve(t, r.A, req)
		_, err := r.B.Confirm(t.Context(), changing(owner, false), req.Request)
		var limit *storage.LimitError
		require.ErrorAs(t, err, &limit)
		require.Equal(t, 1, limit.Limit)
		r.requireAccount(t, owner, h.Identifier)
		r.requireHeld(t, kept)
	})
	t.Run("nor by many at once", func(t *testing.T) {
		t.Parallel()
		owner := freshOwner()
		const callers = 12
		reqs, errs := make([]storage.ReserveRequest, callers), make([]error, callers)
		var all sync.WaitGroup
		for i := range callers {
			reqs[i] = request(hour, freshName())
			reserve(t, r.one(i), reqs[i])
			all.Go(func() { _, errs[i] = r.one(i).Confirm(t.Context(), changing(owner, i%3 == 0), reqs[i].Request) })
		}
		all.Wait()
		var won []identifier.Identifier
		for i, err := range errs {
			if err == nil {
				won = append(won, reqs[i].Candidates[0])
				continue
			}
			requireRefusedOrBusy(t, err, new(*storage.LimitError))
		}
		require.Len(t, won, 1)
		r.requireAccount(t, owner, won...)
	})
	t.Run("of two confirms of one reservation one has it", func(t *testing.T) {
		t.Parallel()
		for n := range 6 {
			req := request(hour, freshName())
			reserve(t, r.A, req)
			owners, errs := []string{freshOwner(), freshOwner()}, make([]error, 2)
			var both sync.WaitGroup
			for i := range 2 {
				both.Go(func() { _, errs[i] = r.one(i).Confirm(t.Context(), changing(owners[i], n%2 == 0), req.Request) })
			}
			both.Wait()
			won := 0
			if errs[0] != nil {
				won = 1
			}
			require.NoError(t, errs[won])
			requireRefusedOrBusy(t, errs[1-won], new(*storage.HeldError))
			r.requireAccount(t, owners[won], req.Candidates[0])
			r.requireAccount(t, owners[1-won])
			r.requireState(t, req.Candidates[0], storage.Active, owners[won])
		}
	})
	t.Run("a cancel at the same time happens before or not at all", func(t *testing.T) {
		t.Parallel()
		for n := range 12 {
			req, owner := request(hour, freshName()), freshOwner()
			reserve(t, r.A, req)
			var confirmed, cancelled error
			var both sync.WaitGroup
			both.Go(func() { _, confirmed = r.one(n).Confirm(t.Context(), changing(owner, n%3 == 0), req.Request) })
			both.Go(func() { _, cancelled = r.one(n+n/2).Cancel(t.Context(), req.Request) })
			both.Wait()
			if confirmed == nil {
				require.ErrorIs(t, cancelled, storage.ErrNotFound)
				r.requireState(t, req.Candidates[0], storage.Active, owner)
				continue
			}
			require.ErrorIs(t, confirmed, storage.ErrNotFound)
			require.NoError(t, cancelled)
			r.requireFree(t, req.Candidates[0])
			r.requireAccount(t, owner)
		}
	})
}

// requireRefusedOrBusy says that an error is the refusal, or that too much was
// going on for an answer.
func requireRefusedOrBusy[E error](t *testing.T, err error, refusal *E) {
	t.Helper()
	var busy *storage.OverloadedError
	require.Error(t, err)
	if !asError(err, &busy) {
		require.ErrorAs(t, err, refusal)
	}
}
