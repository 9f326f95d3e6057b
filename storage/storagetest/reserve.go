package storagetest

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

func testReserve(t *testing.T, r Replicas) {
	t.Run("a free name is held for the request", func(t *testing.T) {
		t.Parallel()
		name, req := freshName(), request(hour)
		req.Candidates = []identifier.Identifier{name}
		outcome, err := r.A.Reserve(t.Context(), req)
		require.NoError(t, err)
		h := outcome.Holding
		require.Equal(t, name, h.Identifier)
		require.Equal(t, storage.Reserved, h.State)
		require.Equal(t, req.Request.ID, h.Holder)
		require.Equal(t, req.KeyID, outcome.KeyID)
		require.NotZero(t, h.Grant)
		require.Equal(t, hour, h.ExpireAt.Sub(h.Since))
		require.Equal(t, time.UTC, h.Since.Location())
		r.requireHeld(t, h)
	})
	t.Run("a lookup says as of when", func(t *testing.T) {
		t.Parallel()
		name := freshName()
		before, err := r.A.Lookup(t.Context(), name)
		require.NoError(t, err)
		h := reserve(t, r.B, request(hour, name))
		after, err := r.A.Lookup(t.Context(), name)
		require.NoError(t, err)
		require.False(t, before.AsOf.After(h.Since))
		require.False(t, after.AsOf.Before(h.Since))
	})
	t.Run("a name that is held is refused and left alone", func(t *testing.T) {
		t.Parallel()
		name := freshName()
		h := reserve(t, r.A, request(hour, name))
		for _, s := range r.both() {
			_, err := s.Reserve(t.Context(), request(hour, name))
			requireLost(t, err, h)
		}
		r.requireHeld(t, h)
	})
	t.Run("what has run out is free, sweeper or not", func(t *testing.T) {
		t.Parallel()
		name := freshName()
		old := reserve(t, r.A, request(elapsed, name))
		r.requireFree(t, name)
		taken := reserve(t, r.B, request(hour, name))
		require.NotEqual(t, old.Grant, taken.Grant)
		r.requireHeld(t, taken)
	})
	t.Run("every kind is held by its key alone", func(t *testing.T) {
		t.Parallel()
		for _, kind := range []identifier.Kind{identifier.Email, identifier.Phone, identifier.License} {
			sum := sha256.Sum256([]byte(freshName().Key()))
			id := identifier.Stored(kind, hex.EncodeToString(sum[:]), "", "")
			h := reserve(t, r.A, request(hour, id))
			require.Equal(t, id, h.Identifier)
			r.requireHeld(t, h)
		}
	})
	t.Run("kinds do not meet", func(t *testing.T) {
		t.Parallel()
		name := freshName()
		license := identifier.Stored(identifier.License, name.Key(), "", "")
		reserve(t, r.A, request(hour, name))
		reserve(t, r.B, request(hour, license))
	})
	t.Run("the spelling is kept", func(t *testing.T) {
		t.Parallel()
		name := freshName()
		spelt := identifier.Stored(identifier.Username, name.Key(), name.Key(), "S"+name.Key()[1:])
		h := reserve(t, r.A, request(hour, spelt))
		require.Equal(t, spelt.Display(), h.Identifier.Display())
		standing, err := r.B.Lookup(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, spelt, standing.Held.Identifier)
	})
}

func testAlternatives(t *testing.T, r Replicas) {
	t.Run("the first that is free is held", func(t *testing.T) {
		t.Parallel()
		taken, free, spare := freshName(), freshName(), freshName()
		reserve(t, r.A, request(hour, taken))
		h := reserve(t, r.B, request(hour, taken, free, spare))
		require.Equal(t, free, h.Identifier)
		r.requireFree(t, spare)
	})
	t.Run("with none free the first is described, and nothing is remembered", func(t *testing.T) {
		t.Parallel()
		one, two := freshName(), freshName()
		first := request(hour, one)
		h := reserve(t, r.A, first)
		reserve(t, r.A, request(hour, two))
		req := request(hour, one, two)
		_, err := r.B.Reserve(t.Context(), req)
		requireLost(t, err, h)
		_, err = r.B.Reservation(t.Context(), req.Request)
		require.ErrorIs(t, err, storage.ErrNotFound)
		_, err = r.A.Cancel(t.Context(), first.Request)
		require.NoError(t, err)
		require.Equal(t, one, reserve(t, r.B, req).Identifier)
	})
	t.Run("a name twice is a name once", func(t *testing.T) {
		t.Parallel()
		name := freshName()
		h := reserve(t, r.A, request(hour, name, name))
		r.requireHeld(t, h)
		_, err := r.A.Reserve(t.Context(), request(hour, name, name))
		requireLost(t, err, h)
	})
	t.Run("without candidates only an earlier outcome answers", func(t *testing.T) {
		t.Parallel()
		req := request(hour, freshName())
		none := req
		none.Candidates = nil
		_, err := r.A.Reserve(t.Context(), none)
		require.ErrorIs(t, err, storage.ErrNotFound)
		first, err := r.A.Reserve(t.Context(), req)
		require.NoError(t, err)
		resent, err := r.B.Reserve(t.Context(), none)
		require.NoError(t, err)
		require.Equal(t, first, resent)
	})
}
