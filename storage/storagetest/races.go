package storagetest

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
)

// attempt is what one of many concurrent callers got.
type attempt struct {
	outcome storage.Outcome
	err     error
}

// together calls n times at once, on both stores in turn.
func (r Replicas) together(t *testing.T, n int, req func(i int) storage.ReserveRequest) []attempt {
	attempts := make([]attempt, n)
	var callers sync.WaitGroup
	for i := range attempts {
		callers.Go(func() {
			attempts[i].outcome, attempts[i].err = r.one(i).Reserve(t.Context(), req(i))
		})
	}
	callers.Wait()
	return attempts
}

// requireOneWinner says that one attempt won and all others lost to it.
func requireOneWinner(t *testing.T, attempts []attempt) storage.Holding {
	t.Helper()
	var won []storage.Holding
	for _, a := range attempts {
		if a.err == nil {
			won = append(won, a.outcome.Holding)
		}
	}
	require.Len(t, won, 1)
	for _, a := range attempts {
		if a.err != nil {
			requireLost(t, a.err, won[0])
		}
	}
	return won[0]
}

func testRaces(t *testing.T, r Replicas) {
	t.Run("ten thousand for one name", func(t *testing.T) {
		t.Parallel()
		name := freshName()
		won := requireOneWinner(t, r.together(t, 10_000, func(int) storage.ReserveRequest { return request(hour, name) }))
		r.requireHeld(t, won)
	})
	t.Run("twenty for one that has run out", func(t *testing.T) {
		t.Parallel()
		for range 20 {
			name := freshName()
			reserve(t, r.A, request(elapsed, name))
			won := requireOneWinner(t, r.together(t, 20, func(int) storage.ReserveRequest { return request(hour, name) }))
			r.requireHeld(t, won)
		}
	})
	t.Run("one request sent twice, while names come and go", func(t *testing.T) {
		t.Parallel()
		for range 50 {
			testSameRequest(t, r)
		}
	})
	t.Run("one request with two meanings", func(t *testing.T) {
		t.Parallel()
		for range 50 {
			testTwoMeanings(t, r)
		}
	})
}

// testSameRequest sends one request with two candidates on both stores while
// another caller gives the first one up: one answer, and one name held.
func testSameRequest(t *testing.T, r Replicas) {
	one, two := freshName(), freshName()
	other := request(hour, one)
	reserve(t, r.A, other)
	req := request(hour, one, two)
	var cancel sync.WaitGroup
	cancel.Go(func() { _, _ = r.B.Cancel(t.Context(), other.Request) })
	attempts := r.together(t, 6, func(int) storage.ReserveRequest { return req })
	cancel.Wait()
	for _, a := range attempts {
		require.NoError(t, a.err)
		require.Equal(t, attempts[0].outcome, a.outcome)
	}
	got := attempts[0].outcome.Holding
	r.requireHeld(t, got)
	if got.Identifier == one {
		r.requireFree(t, two)
	} else {
		r.requireFree(t, one)
	}
}

// testTwoMeanings sends one request id for two names at once: one is granted,
// the other refused and free.
func testTwoMeanings(t *testing.T, r Replicas) {
	one, two := freshName(), freshName()
	req := request(hour, one)
	attempts := r.together(t, 2, func(i int) storage.ReserveRequest {
		if i == 0 {
			return req
		}
		return again(req.Request, hour, two)
	})
	granted, refused, free := attempts[0], attempts[1], two
	if granted.err != nil {
		granted, refused, free = attempts[1], attempts[0], one
	}
	require.NoError(t, granted.err)
	require.ErrorIs(t, refused.err, storage.ErrRequestConflict)
	r.requireHeld(t, granted.outcome.Holding)
	r.requireFree(t, free)
}
