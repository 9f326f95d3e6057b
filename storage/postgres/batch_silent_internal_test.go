package postgres

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
)

// mute is a database that answers only when it is told to.
type mute struct {
	batcher[int, int]
	answers atomic.Bool
	runs    atomic.Int32
}

func newMute(t *testing.T) *mute {
	t.Helper()
	m := &mute{}
	startBatches(&m.batcher, func(ctx context.Context, ins []int) ([]int, error) {
		m.runs.Add(1)
		if m.answers.Load() {
			return ins, nil
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}, func(n int) any { return n }, true)
	return m
}

// ask makes a call, and gives how long it took to be refused; 0 when it was answered.
func (m *mute) ask(t *testing.T, n int) time.Duration {
	t.Helper()
	began := time.Now()
	if _, err := m.do(t.Context(), n); err != nil {
		require.IsType(t, (*storage.UnavailableError)(nil), err)
		return time.Since(began)
	}
	return 0
}

// A database that gives no sign costs calls the time of one batch at most, once, and is
// found to be back.
func TestCallsDoNotWaitInTurnForASilentDatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMute(t)
		defer m.close()
		results := make(chan time.Duration, 100)
		for n := range cap(results) {
			go func() {
				time.Sleep(time.Duration(n) * time.Millisecond)
				results <- m.ask(t, n)
			}()
		}
		for range cap(results) {
			require.Less(t, <-results, runTimeout+time.Duration(cap(results))*time.Millisecond)
		}
		require.LessOrEqual(t, int(m.runs.Load()), workers)

		go m.ask(t, 1000) // finds out
		synctest.Wait()
		for n := range 100 {
			_, err := m.do(t.Context(), n)
			require.ErrorIs(t, err.(*storage.UnavailableError).Cause, errSilent)
		}
		time.Sleep(runTimeout)
		synctest.Wait()
		require.LessOrEqual(t, int(m.runs.Load()), workers+1)
		m.answers.Store(true)
		for n := range 10 {
			require.Zero(t, m.ask(t, n))
		}
	})
}

// An error is an answer.
func TestAnErrorIsNoSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &batcher[int, int]{}
		startBatches(b, func(context.Context, []int) ([]int, error) { return nil, errNotOwned }, func(n int) any { return n }, false)
		defer b.close()
		for n := range 3 {
			_, err := b.do(t.Context(), n)
			require.ErrorIs(t, err.(*storage.UnavailableError).Cause, errNotOwned)
		}
	})
}
