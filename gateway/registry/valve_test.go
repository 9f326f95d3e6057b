package registry_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/gateway/registry"
	"namegate/storage"
	"namegate/storage/identifier"
)

// namesOf are different names of one vshard, or of any other one.
func namesOf(t *testing.T, n int, vshard storage.Vshard, is bool) (list []identifier.Identifier) {
	t.Helper()
	for i := 0; len(list) < n; i++ {
		if id := username(t, fmt.Sprint("name", i)); (storage.VshardOf(id) == vshard) == is {
			list = append(list, id)
		}
	}
	return list
}

func reserveRequest(n int, names ...identifier.Identifier) storage.ReserveRequest {
	return storage.ReserveRequest{Request: storage.RequestKey{ID: storage.RequestID{byte(n)}}, Candidates: names}
}

func TestAHotShardGetsItsShare(t *testing.T) {
	t.Parallel()
	now := gatewayTime
	store := newFakeStore(databaseTime)
	v := registry.NewValve(store, 3, func() time.Time { return now })
	hot, others := namesOf(t, 10, 7, true), namesOf(t, 10, 7, false)
	for i, id := range hot[:3] {
		_, err := v.Reserve(t.Context(), reserveRequest(i, id))
		require.NoError(t, err)
	}
	var overloaded *storage.OverloadedError
	_, err := v.Reserve(t.Context(), reserveRequest(3, hot[3]))
	require.ErrorAs(t, err, &overloaded)
	require.InDelta(t, 100*time.Millisecond/3, overloaded.RetryAfter, float64(time.Millisecond))
	_, err = v.ReserveAll(t.Context(), reserveRequest(4, others[0], hot[3]))
	require.ErrorAs(t, err, &overloaded)
	require.Len(t, store.requests, 3, "nothing was tried")

	_, err = v.Reserve(t.Context(), reserveRequest(5, others[0]))
	require.NoError(t, err, "who was refused for the one took no place of the other")
	now = now.Add(overloaded.RetryAfter)
	_, err = v.Reserve(t.Context(), reserveRequest(6, hot[3]))
	require.NoError(t, err, "at the time that was said")
	_, err = v.Reserve(t.Context(), reserveRequest(7, hot[4]))
	require.ErrorAs(t, err, &overloaded)
}

// A request without candidates asks for an earlier outcome alone.
func TestTheValveLetsResendsThrough(t *testing.T) {
	t.Parallel()
	v := registry.NewValve(newFakeStore(databaseTime), 1, func() time.Time { return gatewayTime })
	for range 3 {
		_, err := v.Reserve(t.Context(), reserveRequest(1))
		require.ErrorIs(t, err, storage.ErrNotFound)
	}
}

// Candidates of one vshard are read together, and take one place: else no request with more
// of them than the limit could ever pass.
func TestCandidatesOfOneShardTakeOnePlace(t *testing.T) {
	t.Parallel()
	v := registry.NewValve(newFakeStore(databaseTime), 1, func() time.Time { return gatewayTime })
	_, err := v.Reserve(t.Context(), reserveRequest(1, namesOf(t, 3, 7, true)...))
	require.NoError(t, err)
	_, err = v.Reserve(t.Context(), reserveRequest(2, namesOf(t, 1, 7, true)...))
	require.ErrorAs(t, err, new(*storage.OverloadedError))
}
