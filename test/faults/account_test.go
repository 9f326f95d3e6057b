package faults_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
)

// accessToken gives one of an account, good at this replica alone, which must run with --demo.
func (r *replica) accessToken(ctx context.Context, account string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url.Load().(string)+"/demo/token", bytes.NewReader(fmt.Appendf(nil, `{"subject": %q}`, account)))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := r.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var given struct{ Token string }
	return given.Token, json.NewDecoder(response.Body).Decode(&given)
}

const (
	confirmOne = `mutation($token: String!, $id: String!) { outcome: confirmReservation(input: {token: $token, requestId: $id}) {
		... on ConfirmReservationPayload { holdings { state } } ... on MutationError { message } } }`
	releaseOne = `mutation($name: String!, $id: String!) { outcome: releaseIdentifier(input: {kind: USERNAME, value: $name, requestId: $id}) {
		... on ReleaseIdentifierPayload { released { state } } ... on MutationError { message } } }`
)

// confirm makes a reservation an account's name.
func (r *replica) confirm(ctx context.Context, account, token string) error {
	return r.change(ctx, account, confirmOne, map[string]any{"token": token, "id": rand.Text()})
}

// release gives an account's name up.
func (r *replica) release(ctx context.Context, account, name string) error {
	return r.change(ctx, account, releaseOne, map[string]any{"name": name, "id": rand.Text()})
}

// change makes a change as an account.
func (r *replica) change(ctx context.Context, account, mutation string, variables map[string]any) error {
	access, err := r.accessToken(ctx, account)
	if err != nil {
		return err
	}
	var data struct{ Outcome *struct{ Message string } }
	faults, err := r.askAs(ctx, access, mutation, variables, &data)
	if err == nil && (data.Outcome == nil || data.Outcome.Message != "") {
		err = fmt.Errorf("change as %s: %+v, %v", account, data.Outcome, faults)
	}
	return err
}
