package storagetest

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

func testCallers(t *testing.T, r Replicas) {
	t.Run("one who has left is told so", func(t *testing.T) {
		t.Parallel()
		gone, leave := context.WithCancel(t.Context())
		leave()
		for _, s := range r.both() {
			_, err := s.Reserve(gone, request(hour, freshName()))
			require.ErrorIs(t, err, context.Canceled)
			_, err = s.Lookup(gone, freshName())
			require.ErrorIs(t, err, context.Canceled)
		}
	})
	t.Run("those who leave harm nobody", func(t *testing.T) {
		t.Parallel()
		const callers = 200
		names := make([]identifier.Identifier, callers)
		errs := make([]error, callers)
		leaving, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range callers {
			names[i] = freshName()
			all.Go(func() {
				ctx := t.Context()
				if i%2 == 1 {
					ctx = leaving
				}
				_, errs[i] = r.one(i/2).Reserve(ctx, request(hour, names[i]))
				if i == callers/2 {
					leave()
				}
			})
		}
		all.Wait()
		leave()
		for i, err := range errs {
			if i%2 == 0 {
				require.NoError(t, err)
			} else if err != nil {
				require.ErrorIs(t, err, context.Canceled)
			}
		}
	})
	t.Run("a request that its caller left is settled by a resend", func(t *testing.T) {
		t.Parallel()
		for range 50 {
			req := request(hour, freshName())
			ctx, leave := context.WithCancel(t.Context())
			var caller sync.WaitGroup
			caller.Go(func() { _, _ = r.A.Reserve(ctx, req) })
			leave()
			caller.Wait()
			first := reserve(t, r.B, req)
			require.Equal(t, first, reserve(t, r.A, req))
			r.requireHeld(t, first)
		}
	})
}

var _ storage.Store = (*Remote)(nil)
