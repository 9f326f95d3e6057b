package postgres_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"namegate/storage"
	"namegate/storage/identifier"
)

// What an account lists and what it holds have one spelling, whichever side changed.
func TestVerifyComparesSpellings(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"slots", "holdings"} {
		for _, change := range []string{"canonical = 'other'", "display = 'Other'", "canonical = NULL, display = NULL"} {
			t.Run(table+" "+change, func(t *testing.T) {
				t.Parallel()
				o := migrated(t, 2)
				s := open(t, o)
				m, err := join(t.Context(), s)
				require.NoError(t, err)
				for _, d := range o.Databases {
					execute(t, d, `UPDATE `+table+` SET `+change+` WHERE key = $1`, m.name.Key())
				}
				v := verify(t, s)
				require.Len(t, v.Faults, 1, describe(v))
				require.Equal(t, &storage.Findings{Count: 1, Examples: []string{"USERNAME " + m.name.Key() + " of account " + m.owner}}, v.Faults[storage.Misspelt])
			})
		}
	}
}

// While names get other spellings all the time, verify never takes one for wrong.
func TestVerifyBesideRespelling(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	s := open(t, o)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var callers sync.WaitGroup
	errs := make([]error, 24)
	for i := range errs {
		m, err := join(ctx, s)
		require.NoError(t, err)
		callers.Go(func() {
			for n := 0; ctx.Err() == nil && errs[i] == nil; n++ {
				_, errs[i] = s.Rename(context.WithoutCancel(ctx), m.change(), identifier.Stored(identifier.Username, m.name.Key(), m.name.Key(), strconv.Itoa(n)))
			}
		})
	}
	for range 3 {
		v := verify(t, s)
		require.Empty(t, v.Faults, describe(v))
	}
	stop()
	callers.Wait()
	require.NoError(t, errors.Join(errs...))
	v := verify(t, s)
	require.Empty(t, v.Faults, describe(v))
}

// An intent lives for some seconds. One that ends at no time that anybody will see
// keeps its name from everybody.
func TestVerifyFindsIntentsThatWillNotEnd(t *testing.T) {
	t.Parallel()
	o := migrated(t, 2)
	s := open(t, o)
	for _, until := range []string{"now() + interval '5 seconds'", "now() + interval '2 hours'", "'infinity'"} {
		name := nameIn(1)
		execute(t, o.Databases[1], `INSERT INTO holdings (vshard, kind, state, since, grant_id, key,
			intent_grant, intent_request, intent_vshard, intent_attempt, intent_until)
			VALUES ($1, 1, 2, now(), gen_random_uuid(), $2, gen_random_uuid(), gen_random_uuid(), 0, gen_random_uuid(), `+until+`)`, int16(storage.VshardOf(name)), name.Key())
	}
	v := verify(t, s)
	require.Len(t, v.Faults, 1, describe(v))
	require.Equal(t, int64(2), v.Faults[storage.EndlessIntent].Count)
}
