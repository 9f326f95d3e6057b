package storagetest

import (
	"crypto/rand"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"namegate/storage"
)

func testReservations(t *testing.T, r Replicas) {
	t.Run("what is held is told until it runs out", func(t *testing.T) {
		t.Parallel()
		held, over := request(hour, freshName()), request(elapsed, freshName())
		h := reserve(t, r.A, held)
		reserve(t, r.A, over)
		for _, s := range r.both() {
			got, err := s.Reservation(t.Context(), held.Request)
			require.NoError(t, err)
			require.Equal(t, []storage.Holding{h}, got)
			got, err = s.Reservation(t.Context(), over.Request)
			require.NoError(t, err)
			require.Empty(t, got)
		}
	})
	t.Run("an unknown request has none", func(t *testing.T) {
		t.Parallel()
		unknown := storage.NewRequestKey(storage.Anonymous, rand.Text())
		_, err := r.A.Reservation(t.Context(), unknown)
		require.ErrorIs(t, err, storage.ErrNotFound)
		_, err = r.A.Cancel(t.Context(), unknown)
		require.ErrorIs(t, err, storage.ErrNotFound)
	})
	t.Run("a cancel frees the name, once", func(t *testing.T) {
		t.Parallel()
		name := freshName()
		req := request(hour, name)
		h := reserve(t, r.A, req)
		freed, err := r.B.Cancel(t.Context(), req.Request)
		require.NoError(t, err)
		h.State = storage.Released
		require.Equal(t, []storage.Holding{h}, freed)
		r.requireFree(t, name)
		_, err = r.A.Cancel(t.Context(), req.Request)
		require.ErrorIs(t, err, storage.ErrNotFound)
	})
	t.Run("of many cancels at once one frees the name", func(t *testing.T) {
		t.Parallel()
		req := request(hour, freshName())
		reserve(t, r.A, req)
		var freed atomic.Int32
		var all sync.WaitGroup
		for n := range 40 {
			all.Go(func() {
				if _, err := r.one(n).Cancel(t.Context(), req.Request); err == nil {
					freed.Add(1)
				} else {
					assert.ErrorIs(t, err, storage.ErrNotFound)
				}
			})
		}
		all.Wait()
		require.EqualValues(t, 1, freed.Load())
	})
	t.Run("a cancel leaves the next holder alone", func(t *testing.T) {
		t.Parallel()
		name := freshName()
		old := request(elapsed, name)
		reserve(t, r.A, old)
		now := reserve(t, r.B, request(hour, name))
		_, err := r.A.Cancel(t.Context(), old.Request)
		require.ErrorIs(t, err, storage.ErrNotFound)
		r.requireHeld(t, now)
		got, err := r.A.Reservation(t.Context(), old.Request)
		require.NoError(t, err)
		require.Empty(t, got)
	})
}
