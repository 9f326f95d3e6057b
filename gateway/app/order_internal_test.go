package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"namegate/storage"
)

func TestInsist(t *testing.T) {
	t.Parallel()
	away, busy, refused := &storage.UnavailableError{}, &storage.OverloadedError{}, errors.New("refused")
	for name, tc := range map[string]struct {
		answers []error // the last one is that of insist
		doubt   bool
	}{
		"at once":                   {answers: []error{nil}},
		"refused":                   {answers: []error{refused}},
		"after another change":      {answers: []error{busy, busy, nil}},
		"after an outage":           {answers: []error{away, busy, nil}, doubt: true},
		"refused after an outage":   {answers: []error{away, refused}, doubt: true},
		"an outage that has no end": {answers: []error{away, away, away, away, away, away, away, away, away, away, away, away, away, away, away}, doubt: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls, start := 0, time.Now()
				_, doubt, err := insist(t.Context(), func() (int, error) {
					calls++
					return calls, tc.answers[calls-1]
				})
				require.Equal(t, tc.answers[len(tc.answers)-1], err)
				require.Equal(t, tc.doubt, doubt)
				require.Equal(t, len(tc.answers), calls)
				require.Equal(t, time.Duration(calls-1)*time.Second, time.Since(start))
			})
		})
	}
}

func TestInsistEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	_, _, err := insist(ctx, func() (int, error) {
		leave()
		return 0, &storage.UnavailableError{}
	})
	require.ErrorIs(t, err, context.Canceled)
}
