package storagetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
)

func testRequests(t *testing.T, r Replicas) {
	t.Run("a resend gets the first outcome, word for word", func(t *testing.T) {
		t.Parallel()
		req := request(hour, freshName())
		first, err := r.A.Reserve(t.Context(), req)
		require.NoError(t, err)
		for _, s := range r.both() {
			resent, err := s.Reserve(t.Context(), req)
			require.NoError(t, err)
			require.Equal(t, first, resent)
		}
		r.requireHeld(t, first.Holding)
	})
	t.Run("also with a newer token key", func(t *testing.T) {
		t.Parallel()
		req := request(hour, freshName())
		first, err := r.A.Reserve(t.Context(), req)
		require.NoError(t, err)
		req.KeyID = storage.KeyID{9, 9, 9, 9}
		resent, err := r.B.Reserve(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, first, resent)
	})
	t.Run("also after it ran out, and is another's", func(t *testing.T) {
		t.Parallel()
		name := freshName()
		req := request(elapsed, name)
		first, err := r.A.Reserve(t.Context(), req)
		require.NoError(t, err)
		now := reserve(t, r.B, request(hour, name))
		for _, s := range r.both() {
			resent, err := s.Reserve(t.Context(), req)
			require.NoError(t, err)
			require.Equal(t, first, resent)
		}
		r.requireHeld(t, now)
	})
	t.Run("also after a cancel, which a resend does not undo", func(t *testing.T) {
		t.Parallel()
		name := freshName()
		req := request(hour, name)
		first, err := r.A.Reserve(t.Context(), req)
		require.NoError(t, err)
		_, err = r.B.Cancel(t.Context(), req.Request)
		require.NoError(t, err)
		resent, err := r.B.Reserve(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, first, resent)
		r.requireFree(t, name)
	})
	t.Run("also when a name before it has become free", func(t *testing.T) {
		t.Parallel()
		wanted, got := freshName(), freshName()
		other := request(hour, wanted)
		reserve(t, r.A, other)
		req := request(hour, wanted, got)
		first := reserve(t, r.A, req)
		_, err := r.A.Cancel(t.Context(), other.Request)
		require.NoError(t, err)
		require.Equal(t, first, reserve(t, r.B, req))
		r.requireFree(t, wanted)
		r.requireHeld(t, first)
	})
	t.Run("other arguments are refused and change nothing", func(t *testing.T) {
		t.Parallel()
		name, another := freshName(), freshName()
		req := request(hour, name)
		h := reserve(t, r.A, req)
		for _, s := range r.both() {
			_, err := s.Reserve(t.Context(), again(req.Request, hour, another))
			require.ErrorIs(t, err, storage.ErrRequestConflict)
			_, err = s.Reserve(t.Context(), again(req.Request, hour, name, another))
			require.ErrorIs(t, err, storage.ErrRequestConflict)
		}
		r.requireFree(t, another)
		r.requireHeld(t, h)
	})
}
