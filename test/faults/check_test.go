package faults_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const checkMany = `query($names: [String!]!) { usernamesAvailable(names: $names) { requested available decidedBy asOf } }`

// maxChecks is how many names an operation may check.
const maxChecks = 20

// check asks for up to maxChecks names.
func (r *replica) check(ctx context.Context, names ...string) ([]answer, error) {
	var data struct{ UsernamesAvailable []*answer }
	sent := time.Now()
	faults, err := r.ask(ctx, checkMany, map[string]any{"names": names}, &data)
	if err != nil {
		return nil, err
	}
	if len(data.UsernamesAvailable) != len(names) {
		return nil, fmt.Errorf("answers to %d of %d names: %v", len(data.UsernamesAvailable), len(names), faults)
	}
	received := time.Now()
	answers := make([]answer, len(names))
	for i, a := range data.UsernamesAvailable {
		if a != nil {
			answers[i] = *a
		} else {
			answers[i].code = codeOf(faults, i)
		}
		answers[i].Requested, answers[i].sent, answers[i].received = names[i], sent, received
	}
	return answers, nil
}

// codeOf is the code of the error of one of several names.
func codeOf(faults []fault, index int) string {
	for _, f := range faults {
		if len(f.Path) == 2 && f.Path[1] == float64(index) {
			return f.Extensions.Code
		}
	}
	return "none"
}

// checkOne asks for a name and must be answered.
func (r *replica) checkOne(t testing.TB, name string) answer {
	t.Helper()
	answers, err := r.check(t.Context(), name)
	require.NoError(t, err)
	return answers[0]
}

const reserveOne = `mutation($name: String!, $id: String!) { reserveUsername(input: {name: $name, requestId: $id}) {
	... on ReserveUsernamePayload { token } ... on MutationError { message } } }`

// reserve reserves a name under a request id; it gives the reservation's token, or "" when the
// name cannot be had.
func (r *replica) reserve(ctx context.Context, name, request string) (token string, err error) {
	var data struct {
		ReserveUsername *struct{ Token, Message string }
	}
	faults, err := r.ask(ctx, reserveOne, map[string]any{"name": name, "id": request}, &data)
	if err != nil {
		return "", err
	}
	if data.ReserveUsername == nil {
		return "", fmt.Errorf("reserve: %v", faults)
	}
	return data.ReserveUsername.Token, nil
}

const cancelOne = `mutation($token: String!) { cancelReservation(input: {token: $token}) { __typename } }`

// cancel gives a reservation up.
func (r *replica) cancel(ctx context.Context, token string) error {
	var data struct {
		CancelReservation *struct {
			Typename string `json:"__typename"`
		}
	}
	faults, err := r.ask(ctx, cancelOne, map[string]any{"token": token}, &data)
	if err == nil && (data.CancelReservation == nil || data.CancelReservation.Typename != "CancelReservationPayload") {
		err = fmt.Errorf("cancel: %v, %v", data, faults)
	}
	return err
}

// hold reserves a fresh name, and tells the witness.
func (r *replica) hold(t testing.TB, w *witness, names ...string) {
	t.Helper()
	for _, name := range names {
		token, err := r.reserve(t.Context(), name, rand.Text())
		require.NoError(t, err)
		require.NotEmpty(t, token)
		w.held(name, time.Now())
	}
}

// authorityRounds times maxChecks names are of nearly all parts of a filter.
const authorityRounds = 5

// authoritative says whether the filter answers for all shards: those of many fresh names,
// but for a few that are false positives.
func (r *replica) authoritative(ctx context.Context) bool {
	for range authorityRounds {
		if !r.vouchesFor(ctx, freshNames(maxChecks)) {
			return false
		}
	}
	return true
}

// vouchesFor says whether the filter calls all of some names free, or all but one.
func (r *replica) vouchesFor(ctx context.Context, names []string) bool {
	answers, err := r.check(ctx, names...)
	byFilter := 0
	for _, a := range answers {
		if a.byFilter() {
			byFilter++
		}
	}
	return err == nil && byFilter >= len(names)-1
}

// eventually waits for what must come about, and gives how long it took.
func eventually(t testing.TB, limit time.Duration, what string, came func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	require.Eventually(t, came, limit, 10*time.Millisecond, what)
	return time.Since(began)
}
