package storagetest

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

// Replicas are two stores on the same databases. Cases use names and requests of
// their own, so that they may run at the same time and over old data.
type Replicas struct {
	A, B storage.Store
}

// both are the stores with names for subtests and messages.
func (r Replicas) both() map[string]storage.Store {
	return map[string]storage.Store{"A": r.A, "B": r.B}
}

// one is a store for the nth of several callers.
func (r Replicas) one(n int) storage.Store {
	if n%2 == 0 {
		return r.A
	}
	return r.B
}

// Run tests the whole contract.
func Run(t *testing.T, r Replicas) {
	cases := map[string]func(*testing.T, Replicas){
		"Reserve":      testReserve,
		"Alternatives": testAlternatives,
		"Races":        testRaces,
		"Requests":     testRequests,
		"Reservations": testReservations,
		"Import":       testImport,
		"Callers":      testCallers,
		"Confirm":      testConfirm,
		"Rename":       testRename,
		"Release":      testRelease,
		"Several":      testSeveral,
		"Block":        testBlock,
		"Block races":  testBlockRaces,
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, r)
		})
	}
}

// hour is a reservation that outlives the test.
const hour = time.Hour

// elapsed is a reservation that has run out by the time of the next statement.
const elapsed = time.Microsecond

// freshName is a username that no other test knows.
func freshName() identifier.Identifier {
	name := strings.ToLower(rand.Text())
	return identifier.Stored(identifier.Username, name, name, name)
}

// request is a reserve under a request id of its own.
func request(ttl time.Duration, candidates ...identifier.Identifier) storage.ReserveRequest {
	return again(storage.NewRequestKey(storage.Anonymous, rand.Text()), ttl, candidates...)
}

// again is a reserve under a known request id.
func again(key storage.RequestKey, ttl time.Duration, candidates ...identifier.Identifier) storage.ReserveRequest {
	names := make([]string, len(candidates))
	for i, id := range candidates {
		names[i] = id.Key()
	}
	return storage.ReserveRequest{
		Request: key, Arguments: storage.HashArguments("reserve", names...), Candidates: candidates,
		TTL: ttl, KeyID: storage.KeyID{1, 2, 3, 4}, Actor: "storagetest",
	}
}

// requireFree reads the name from both stores.
func (r Replicas) requireFree(t *testing.T, id identifier.Identifier) {
	t.Helper()
	for name, s := range r.both() {
		standing, err := s.Lookup(t.Context(), id)
		require.NoError(t, err)
		require.Nil(t, standing.Held, "%s by %s", id.Key(), name)
	}
}

// requireHeld reads the name from both stores.
func (r Replicas) requireHeld(t *testing.T, want storage.Holding) {
	t.Helper()
	for name, s := range r.both() {
		standing, err := s.Lookup(t.Context(), want.Identifier)
		require.NoError(t, err)
		require.NotNil(t, standing.Held, "%s by %s", want.Identifier.Key(), name)
		require.Equal(t, want, *standing.Held)
	}
}

// reserve must succeed.
func reserve(t *testing.T, s storage.Store, req storage.ReserveRequest) storage.Holding {
	t.Helper()
	outcome, err := s.Reserve(t.Context(), req)
	require.NoError(t, err)
	return outcome.Holding
}

// requireLost says that a reserve failed with the holding that stands in the way.
func requireLost(t *testing.T, err error, holder storage.Holding) {
	t.Helper()
	var held *storage.HeldError
	require.ErrorAs(t, err, &held)
	require.Equal(t, holder, held.Holding)
}
